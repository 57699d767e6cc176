"""What the laws of Optax share: one traced step, and how the types of a tree are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Kind, Recipe
from hypothesis_pytrees.optax.params import PARAMETERS
from treelaws.core.subject import Subject
from treelaws.equality import same

from ._programs import program

DOCS = "https://optax.readthedocs.io/en/latest/api/"
CODE = "https://github.com/google-deepmind/optax/blob/v0.2.8/optax/"

# One shape, two dtypes.
SINGLES = tuple(
    kind for kind in PARAMETERS if {"leaf:float32", "leaf:bfloat16"} & set(kind.features)
)
# Float64 where 64-bit types are on.
DOUBLES = (
    Kind("leaf", "jax.device_put(np.array([1.5, 2.5]))", (), ("leaf:double",)),
    *SINGLES,
)


class Step(NamedTuple):
    """The types of one traced update.

    Args:
        state: those of the state that `init` gave.
        updates: those of the updates.
        after: those of the next state.
    """

    state: Any
    updates: Any
    after: Any


def steps(**options: Any) -> Callable[[Subject], st.SearchStrategy[Recipe]]:
    """Give, for a subject, the strategy of `tx`, `params`, `grads` and `extra`.

    Args:
        options: those of `hypothesis_pytrees.optimisations.optimisations`.
    """

    def strategy(subject: Subject) -> st.SearchStrategy[Recipe]:
        assert subject.instances is not None
        return subject.instances(**options)

    return strategy


def traced(case: Any, *, tx: Any = None, params: Any = None, **further: Any) -> Step:
    """Trace `init` and one update from the state that it gives; nothing is computed.

    Args:
        case: what binds `tx`, `params`, `grads` and `extra`.
        tx: the transformation; default that of the case.
        params: the parameters that `update` gets; default those that `init` gets.
        further: further keyword arguments of `update`.
    """
    tx = case.tx if tx is None else tx
    whole = case.params if params is None else params

    def run(grads: Any, params: Any, whole: Any) -> Any:
        state = tx.init(params)
        return Step(state, *tx.update(grads, state, whole, **case.extra, **further))

    return jax.eval_shape(run, case.grads, case.params, whole)


def whole_program(case: Any, prefix: str = "") -> list[str]:
    """Write the program of `init` and one `update`, with the leaves of its results.

    Args:
        case: what binds `tx`, `params`, `grads` and `extra`.
        prefix: what the names of `params`, `grads` and `extra` begin with; default nothing.
    """
    grads, params, extra = (getattr(case, prefix + name) for name in ("grads", "params", "extra"))

    def run(grads: Any, params: Any) -> Any:
        return jtu.tree_leaves(case.tx.update(grads, case.tx.init(params), params, **extra))

    return program(run, grads, params)


def types(tree: Any) -> Any:
    """Write the type of each leaf in its place: `"float32[2,3]"`, `"weak float32[]"`."""
    return jtu.tree_map(_type, tree)


def dtypes(tree: Any) -> Any:
    """Write the dtype of each leaf in its place."""
    return jtu.tree_map(lambda leaf: str(jax.dtypes.result_type(leaf)), tree)


def shapes(tree: Any) -> Any:
    """Write the shape of each leaf in its place, as text."""
    return jtu.tree_map(lambda leaf: str(leaf.shape), tree)


def _type(leaf: Any) -> str:
    if not hasattr(leaf, "dtype"):
        return type(leaf).__name__
    weak = "weak " if getattr(leaf, "weak_type", False) else ""
    return f"{weak}{leaf.dtype}[{','.join(map(str, leaf.shape))}]"


def zeros(tree: Any) -> Any:
    """Give a tree of zeros like the leaves."""
    return jtu.tree_map(jnp.zeros_like, tree)


def close(got: Any, wanted: Any) -> None:
    """Demand equal structures, types and, but for rounding, values."""
    same(types(got), types(wanted))
    rounded = jtu.tree_map(lambda one, other: bool(jnp.allclose(one, other, 1e-2)), got, wanted)
    same(rounded, jtu.tree_map(lambda _: True, wanted))


def as_arrays(tree: Any) -> Any:
    """Give the leaves as NumPy arrays without the sign of zeros."""
    return jtu.tree_map(lambda leaf: np.asarray(leaf) + np.zeros((), leaf.dtype), tree)


def in_order(case: Any) -> tuple[Any, tuple[Any, ...]]:
    """Apply the transformations in `links` one after the other: the updates, and their states."""
    updates, states = case.grads, []
    for tx in case.links:
        updates, state = tx.update(updates, tx.init(case.params), case.params)
        states.append(state)
    return updates, tuple(states)


def looped_over(case: Any, steps: int) -> Any:
    """Update `steps` times outside of any trace: the last updates and the last state."""
    updates, state = case.grads, case.tx.init(case.params)
    for _ in range(steps):
        updates, state = case.tx.update(case.grads, state, case.params)
    return updates, state


def scanned_over(case: Any, steps: int) -> Any:
    """Update `steps` times in a scan: the last updates and the last state."""

    def step(state: Any, _: Any) -> Any:
        updates, state = case.tx.update(case.grads, state, case.params)
        return state, updates

    state, updates = jax.lax.scan(step, case.tx.init(case.params), None, length=steps)
    return jtu.tree_map(lambda leaf: leaf[-1], updates), state
