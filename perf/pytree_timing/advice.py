"""What may be done instead of an operation, and what a run says about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .timing import Timed

# The operation that does the same with less work in Python, and how to write it.
INSTEAD: Mapping[str, tuple[str, str]] = {
    "dispatch.filter_jit": (
        "dispatch.jax_jit",
        "call eqx.partition once, before the loop, and jax.jit of a function of the arrays",
    ),
    "dispatch.partition_and_jax_jit": (
        "dispatch.jax_jit",
        "call eqx.partition once, before the loop",
    ),
    "dispatch.jax_jit": (
        "dispatch.jax_jit_on_leaves",
        "flatten once, before the loop, and unflatten inside of the compiled function",
    ),
    "dispatch.nnx_jit": (
        "dispatch.nnx_cached_partial",
        "bind the module with nnx.cached_partial, before the loop",
    ),
    "dispatch.split_and_jax_jit": (
        "dispatch.jax_jit_on_the_split",
        "call nnx.split once, before the loop, and nnx.merge inside of the compiled function",
    ),
    "sharded.filter_jit": (
        "sharded.jax_jit",
        "call eqx.partition once, before the loop, and jax.jit of a function of the arrays",
    ),
    "sharded.nnx_jit": (
        "sharded.nnx_cached_partial",
        "bind the module with nnx.cached_partial, before the loop",
    ),
    "derivative.filter_grad": (
        "derivative.jitted_filter_grad",
        "compile the derivative with eqx.filter_jit",
    ),
    "derivative.jax_grad": ("derivative.jitted_jax_grad", "compile the derivative with jax.jit"),
    "optimiser.update": ("optimiser.jitted_update", "compile the update, best with the whole step"),
    "training.filter_jit_step": (
        "training.jax_jit_step",
        "call eqx.partition once, before the loop, and compile the step with jax.jit",
    ),
}
# Below these a difference may come from the machine.
_LEAST_SHARE, _LEAST_SECONDS = 0.1, 1e-6


def lines(results: Sequence[Timed]) -> Iterator[str]:
    """Yield a line for each operation that another one would make shorter.

    Args:
        results: those of a user's model; a saving below a tenth or a microsecond has no line.
    """
    for one in sorted(results, key=_saved, reverse=True):
        if one.reference is None or _saved(one) < max(_LEAST_SECONDS, _LEAST_SHARE * one.seconds):
            continue
        other, how = INSTEAD[one.case.operation.id]
        share = _saved(one) / one.seconds
        yield (
            f"{one.case.operation.id}: {how} ({other}): saves {_saved(one) * 1e6:,.1f} us of "
            f"{one.seconds * 1e6:,.1f} us a call, {share:.0%}"
        )


def _saved(one: Timed) -> float:
    return one.seconds - one.reference if one.reference is not None else 0.0
