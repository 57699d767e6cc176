"""The program that a function traces to, as text that does not depend on JAX's caches."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

# Primitives that run one program on their operands, by their names in any release.
_CALLS = {
    "pjit",
    "jit",
    "closed_call",
    "core_call",
    "remat",
    "checkpoint",
    "custom_jvp_call",
    "custom_vjp_call",
    "custom_vjp_call_jaxpr",
}
# Values that can be written as text: others contain objects, or depend on caches.
_PLAIN = (int, float, str, np.dtype, type(None))


def program(function: Callable[..., Any], *args: Any) -> list[str]:
    """Return the program that a function traces to, one line for each step.

    Calls are written inline and constants by their values. In JAX, earlier traces decide which
    functions become separate calls and how constants are named. For the same reason the steps of
    loops and branches are written without operands.

    Args:
        function: the function to trace.
        args: its arguments, which become the arguments of the program.
    """
    closed = jax.make_jaxpr(function)(*args)
    count = itertools.count()
    taken = [f"v{next(count)}:{value.aval}" for value in closed.jaxpr.invars]
    lines: list[str] = []
    given = _write(closed, taken, count, lines)
    return [f"takes {' '.join(taken)}", *lines, f"gives {' '.join(given)}"]


def _write(
    closed: Any, operands: Sequence[str], count: Iterator[int], lines: list[str]
) -> list[str]:
    """Append the steps of a program on these operands to the lines; return its results."""
    jaxpr = getattr(closed, "jaxpr", closed)
    names = dict(zip(jaxpr.invars, operands, strict=True))
    constants = map(_constant, getattr(closed, "consts", ()))
    names.update(zip(jaxpr.constvars, constants, strict=True))

    def texts_of(values: Sequence[Any]) -> list[str]:
        return [_constant(one.val) if hasattr(one, "val") else names[one] for one in values]

    for step in jaxpr.eqns:
        inner = _inner(step)
        if step.primitive.name in _CALLS and len(inner) == 1:
            results = _write(inner[0], texts_of(step.invars), count, lines)
        else:
            results = [f"v{next(count)}:{value.aval}" for value in step.outvars]
            taken = [] if inner else texts_of(step.invars)
            lines.append(f"{' '.join(results)} = {step.primitive.name}{_options(step)} {taken}")
            lines += [f"  {line}" for body in inner for line in _steps(body)]
        names.update(zip(step.outvars, results, strict=True))
    return texts_of(jaxpr.outvars)


def _inner(step: Any) -> list[Any]:
    values = jtu.tree_leaves(list(step.params.values()))
    return [value for value in values if hasattr(getattr(value, "jaxpr", value), "eqns")]


def _steps(body: Any) -> Iterator[str]:
    for step in getattr(body, "jaxpr", body).eqns:
        inner = _inner(step)
        if step.primitive.name not in _CALLS:
            yield f"{step.primitive.name}{_options(step)} {[str(one.aval) for one in step.outvars]}"
        yield from (line for other in inner for line in _steps(other))


def _options(step: Any) -> dict[str, Any]:
    return {
        name: value
        for name, value in sorted(step.params.items())
        if all(isinstance(part, _PLAIN) for part in jtu.tree_leaves(value))
    }


def _constant(value: Any) -> str:
    if isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        value = jax.random.key_data(value)
    array = np.asarray(value)
    return f"{array.dtype}:{array.tolist()}"
