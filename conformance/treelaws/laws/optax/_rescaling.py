"""Optax's rescaling of gradients as formulas on NumPy arrays, as `_formulas` describes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ._formulas import Arrays, Steps, each, norm_of


def _centralize(grad: np.ndarray, _: np.ndarray) -> np.ndarray:
    return grad - grad.mean(tuple(range(1, grad.ndim)), keepdims=True) if grad.ndim > 1 else grad


def _normalize(
    steps: Steps, _: Arrays, *, scale_factor: float = 1.0, eps: float = 1e-6
) -> Iterator[Any]:
    for grads in steps:
        yield [grad * scale_factor / (norm_of(grads) + eps) for grad in grads]


def _adadelta(
    steps: Steps, _: Arrays, *, rho: float = 0.9, eps: float
) -> Iterator[list[np.ndarray]]:
    squares = moved = [np.zeros_like(grad) for grad in steps[0]]
    for grads in steps:
        squares = _averaged(rho, squares, [grad**2 for grad in grads])
        rows = zip(moved, squares, grads, strict=True)
        found = [grad * np.sqrt((old + eps) / (new + eps)) for old, new, grad in rows]
        moved = _averaged(rho, moved, [update**2 for update in found])
        yield found


def _ademamix(
    steps: Steps,
    _: Arrays,
    *,
    b1: float = 0.9,
    b2: float = 0.999,
    b3: float = 0.9999,
    alpha: float = 6.0,
    eps: float,
    eps_root: float = 0.0,
) -> Iterator[list[np.ndarray]]:
    fast = slow = squares = [np.zeros_like(grad) for grad in steps[0]]
    for count, grads in enumerate(steps, 1):
        fast, slow = _averaged(b1, fast, grads), _averaged(b3, slow, grads)
        squares = _averaged(b2, squares, [grad**2 for grad in grads])
        rows = zip(fast, slow, squares, strict=True)
        yield [
            (one / (1 - b1**count) + alpha * other)
            / (np.sqrt(square / (1 - b2**count) + eps_root) + eps)
            for one, other, square in rows
        ]


def _belief(
    steps: Steps,
    _: Arrays,
    *,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float,
    eps_root: float,
    nesterov: bool = False,
) -> Iterator[list[np.ndarray]]:
    means = errors = [np.zeros_like(grad) for grad in steps[0]]
    for count, grads in enumerate(steps, 1):
        means = _averaged(b1, means, grads)
        missed = [(grad - mean) ** 2 for grad, mean in zip(grads, means, strict=True)]
        errors = [error + eps_root for error in _averaged(b2, errors, missed)]
        rows = zip(means, errors, grads, strict=True)
        yield [
            _first_moment(mean, grad, b1, count, nesterov)
            / (np.sqrt(error / (1 - b2**count)) + eps)
            for mean, error, grad in rows
        ]


def _averaged(decay: float, held: Arrays, new: Arrays) -> list[np.ndarray]:
    return [decay * old + (1 - decay) * one for old, one in zip(held, new, strict=True)]


def _first_moment(
    mean: np.ndarray, grad: np.ndarray, b1: float, count: int, nesterov: bool
) -> np.ndarray:
    """Return the mean of the gradients without its bias, with Nesterov momentum if asked for."""
    if not nesterov:
        return mean / (1 - b1**count)
    return b1 * mean / (1 - b1 ** (count + 1)) + (1 - b1) * grad / (1 - b1**count)


def _adam(
    steps: Steps,
    _: Arrays,
    *,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float,
    eps_root: float = 0.0,
    nesterov: bool = False,
) -> Iterator[Any]:
    means = [np.zeros_like(grad) for grad in steps[0]]
    squares = means
    for count, grads in enumerate(steps, 1):
        means = _averaged(b1, means, grads)
        squares = _averaged(b2, squares, [grad**2 for grad in grads])
        yield [
            _first_moment(mean, grad, b1, count, nesterov)
            / (np.sqrt(square / (1 - b2**count) + eps_root) + eps)
            for mean, square, grad in zip(means, squares, grads, strict=True)
        ]


def _adamax(
    steps: Steps, _: Arrays, *, b1: float = 0.9, b2: float = 0.999, eps: float
) -> Iterator[Any]:
    means = [np.zeros_like(grad) for grad in steps[0]]
    largest = means
    for count, grads in enumerate(steps, 1):
        means = [b1 * old + (1 - b1) * grad for old, grad in zip(means, grads, strict=True)]
        pairs = zip(largest, grads, strict=True)
        largest = [np.maximum(abs(grad) + eps, b2 * old) for old, grad in pairs]
        pairs = zip(means, largest, strict=True)
        yield [mean / (1 - b1**count) / most for mean, most in pairs]


def _lion(steps: Steps, _: Arrays, *, b1: float = 0.9, b2: float = 0.99) -> Iterator[Any]:
    held = [np.zeros_like(grad) for grad in steps[0]]
    for grads in steps:
        pairs = list(zip(held, grads, strict=True))
        yield [np.sign((1 - b1) * grad + b1 * old) for old, grad in pairs]
        held = [b2 * old + (1 - b2) * grad for old, grad in pairs]


def _optimistic(
    steps: Steps, _: Arrays, *, alpha: float = 1.0, beta: float = 1.0
) -> Iterator[list[np.ndarray]]:
    """Follow the formula; the first step has no gradient before and takes its own for it."""
    for before, grads in zip([steps[0], *steps], steps, strict=False):
        pairs = zip(before, grads, strict=True)
        yield [(alpha + beta) * grad - beta * old for old, grad in pairs]


def _rms(
    steps: Steps, _: Arrays, *, decay: float = 0.9, eps: float, initial_scale: float = 0.0
) -> Iterator[Any]:
    held = [np.full_like(grad, initial_scale) for grad in steps[0]]
    for grads in steps:
        pairs = zip(held, grads, strict=True)
        held = [decay * old + (1 - decay) * grad**2 for old, grad in pairs]
        yield [grad / np.sqrt(new + eps) for new, grad in zip(held, grads, strict=True)]


def _rprop(
    steps: Steps,
    _: Arrays,
    *,
    learning_rate: float,
    eta_minus: float = 0.5,
    eta_plus: float = 1.2,
    min_step_size: float = 1e-6,
    max_step_size: float = 50.0,
) -> Iterator[Any]:
    """Follow the cited algorithm: a change of sign gives no step, and none to compare with next."""
    sizes = [np.full_like(grad, learning_rate) for grad in steps[0]]
    before = [np.zeros_like(grad) for grad in steps[0]]
    for grads in steps:
        found = []
        for place, grad in enumerate(grads):
            turned = np.sign(grad * before[place])
            factor = np.where(turned > 0, eta_plus, eta_minus)
            clipped = (sizes[place] * factor).clip(min_step_size, max_step_size)
            sizes[place] = np.where(turned == 0, sizes[place], clipped)
            before[place] = np.where(turned < 0, 0.0, np.sign(grad))
            found.append(sizes[place] * before[place])
        yield found


def _rss(
    steps: Steps, _: Arrays, *, initial_accumulator_value: float = 0.1, eps: float
) -> Iterator[Any]:
    held = [np.full_like(grad, initial_accumulator_value) for grad in steps[0]]
    for grads in steps:
        held = [old + grad**2 for old, grad in zip(held, grads, strict=True)]
        yield [grad / np.sqrt(new + eps) for new, grad in zip(held, grads, strict=True)]


def _schedule(steps: Steps, _: Arrays, *, step_size_fn: Callable[[int], float]) -> Iterator[Any]:
    for count, grads in enumerate(steps):
        yield [grad * step_size_fn(count) for grad in grads]


def _trust(
    grad: np.ndarray,
    param: np.ndarray,
    *,
    min_norm: float = 0.0,
    trust_coefficient: float = 1.0,
    eps: float = 0.0,
) -> np.ndarray:
    ours, theirs = (max(norm_of([one]), min_norm) for one in (param, grad))
    return grad * (trust_coefficient * ours / (theirs + eps)) if ours and theirs else grad


def _block_norm(grad: np.ndarray, param: np.ndarray, *, min_scale: float = 1e-3) -> np.ndarray:
    return grad * max(norm_of([param]), min_scale)


def _block_rms(grad: np.ndarray, param: np.ndarray, *, min_scale: float = 1e-3) -> np.ndarray:
    return grad * max(np.sqrt((param**2).mean()), min_scale)


RESCALING = {
    "centralize": each(_centralize),
    "contrib.scale_by_ademamix": _ademamix,
    "normalize_by_update_norm": _normalize,
    "scale": each(lambda grad, _, *, step_size: grad * step_size),
    "scale_by_adam": _adam,
    "scale_by_adadelta": _adadelta,
    "scale_by_adamax": _adamax,
    "scale_by_belief": _belief,
    "scale_by_lion": _lion,
    "scale_by_optimistic_gradient": _optimistic,
    "scale_by_param_block_norm": each(_block_norm),
    "scale_by_param_block_rms": each(_block_rms),
    "scale_by_rms": _rms,
    "scale_by_rprop": _rprop,
    "scale_by_rss": _rss,
    "scale_by_schedule": _schedule,
    "scale_by_sign": each(lambda grad, _: np.sign(grad)),
    "scale_by_trust_ratio": each(_trust),
}
