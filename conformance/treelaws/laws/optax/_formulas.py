"""Optax's transformations as formulas on NumPy arrays of double precision, step after step.

A formula takes the gradients of each step, a list of arrays, the parameters, such a list too, and
the options of the transformation. It yields the updates of each step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax.tree_util as jtu
import numpy as np

from treelaws.core.mismatch import Mismatch, shown

Arrays = Sequence[np.ndarray]
Steps = Sequence[Arrays]


def arrays_of(tree: Any) -> list[np.ndarray]:
    """Return the leaves of a tree as arrays of dtype float64."""
    return [np.asarray(leaf, np.float64) for leaf in jtu.tree_leaves(tree)]


def follows(case: Any, formulas: Any) -> None:
    """Demand of the transformation of a case the updates of its formula.

    Args:
        case: binds `tx`, `name`, `options`, `params` and `grads`.
        formulas: the formulas by name.

    Raises:
        Mismatch: the updates of a step have other types, or other values apart from rounding.
    """
    state, formula = case.tx.init(case.params), formulas[case.name]
    steps = [arrays_of(grads) for grads in case.grads]
    wanted = formula(steps, arrays_of(case.params), **case.options)
    for grads, expected in zip(case.grads, wanted, strict=True):
        updates, state = case.tx.update(grads, state, case.params)
        near(updates, expected, grads)


def near(updates: Any, expected: Arrays, grads: Any) -> None:
    """Demand updates of the types of the gradients, with these values apart from rounding."""
    if jtu.tree_structure(updates) != jtu.tree_structure(grads):
        raise Mismatch("", "structure", shown(updates), shown(grads))
    rows = zip(jtu.tree_leaves(updates), jtu.tree_leaves(grads), expected, strict=True)
    for got, grad, wanted in rows:
        if (got.dtype, got.shape) != (grad.dtype, grad.shape):
            raise Mismatch("", "type of an update", shown(got), shown(grad))
        if not np.allclose(np.float64(got), wanted, rtol=1e-4, atol=1e-5, equal_nan=True):
            raise Mismatch("", "update", shown(got), shown(wanted))


def each(function: Callable[..., Any]) -> Callable[..., Iterator[list[np.ndarray]]]:
    """Return the formula that does the same with each array and its parameter at any step."""

    def formula(steps: Steps, params: Arrays, **options: Any) -> Iterator[list[np.ndarray]]:
        for grads in steps:
            yield [function(*pair, **options) for pair in zip(grads, params, strict=True)]

    return formula


def norm_of(arrays: Arrays) -> Any:
    return np.sqrt(sum((array**2).sum() for array in arrays))


def _trace(
    steps: Steps, _: Arrays, *, decay: float, nesterov: bool = False, accumulator_dtype: Any = None
) -> Iterator[list[np.ndarray]]:
    held = [np.zeros_like(grad) for grad in steps[0]]
    for grads in steps:
        held = [decay * old + grad for old, grad in zip(held, grads, strict=True)]
        ahead = [grad + decay * new for new, grad in zip(held, grads, strict=True)]
        yield ahead if nesterov else held


def ema(
    steps: Steps,
    _: Arrays = (),
    *,
    decay: float,
    debias: bool = True,
    accumulator_dtype: Any = None,
) -> Iterator[list[np.ndarray]]:
    """Yield the moving averages of the gradients up to each step."""
    held = [np.zeros_like(grad) for grad in steps[0]]
    for count, grads in enumerate(steps, 1):
        pairs = zip(held, grads, strict=True)
        held = [decay * old + (1 - decay) * grad for old, grad in pairs]
        yield [new / (1 - decay**count) if debias else new for new in held]


def _decayed(steps: Steps, params: Arrays, *, weight_decay: Any = 0.0) -> Iterator[Any]:
    for count, grads in enumerate(steps):
        rate = weight_decay(count) if callable(weight_decay) else weight_decay
        yield [grad + rate * param for grad, param in zip(grads, params, strict=True)]


def _block_rms(grad: np.ndarray, _: np.ndarray, *, threshold: float) -> np.ndarray:
    rms = np.sqrt((grad**2).mean())
    return grad * (threshold / rms) if rms > threshold else grad


def _global_norm(steps: Steps, _: Arrays, *, max_norm: float) -> Iterator[Any]:
    for grads in steps:
        norm = norm_of(grads)
        yield [grad * (max_norm / norm) if norm >= max_norm else grad for grad in grads]


# By rank: the axes of a unit, as `optax.transforms.unitwise_norm` documents them. Arrays of lower
# rank are one unit.
_UNITS = {2: (0,), 4: (0, 1, 2), 5: (0, 1, 2, 3)}


def _adaptive(
    grad: np.ndarray, param: np.ndarray, *, clipping: float, eps: float = 1e-3
) -> np.ndarray:
    axes = _UNITS.get(grad.ndim)
    norm, own = (np.sqrt((one**2).sum(axes, keepdims=True)) for one in (grad, param))
    most = clipping * np.maximum(own, eps)
    return grad * np.where(norm < most, 1.0, most / np.maximum(norm, 1e-6))


TRANSFORMS = {
    "trace": _trace,
    "ema": ema,
    "add_decayed_weights": _decayed,
    "clip": each(lambda grad, _, *, max_delta: grad.clip(-max_delta, max_delta)),
    "clip_by_block_rms": each(_block_rms),
    "clip_by_global_norm": _global_norm,
    "adaptive_grad_clip": each(_adaptive),
    "keep_params_nonnegative": each(lambda grad, param: np.maximum(grad, -param)),
}
