"""Inputs and models of the laws of Optax, and the types of trees as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Kind, Recipe
from hypothesis_pytrees.optax.params import PARAMETERS
from treelaws.core.subject import Subject
from treelaws.equality import same

DOCS = "https://optax.readthedocs.io/en/latest/api/"
CODE = "https://github.com/google-deepmind/optax/blob/v0.2.8/optax/"

# Parameters of one shape and two dtypes.
SINGLES = tuple(
    kind for kind in PARAMETERS if {"leaf:float32", "leaf:bfloat16"} & set(kind.features)
)
_HALF = tuple(kind for kind in PARAMETERS if "leaf:bfloat16" in kind.features)
# About half of these are bfloat16, which some states convert to float32 and so copy.
HALVES = (*PARAMETERS, *_HALF * 3)
# The first one is float64 if 64-bit types are on.
DOUBLES = (
    Kind("leaf", "jax.device_put(np.array([1.5, 2.5]))", (), ("leaf:double",)),
    *SINGLES,
)
# Parameters with float16 in the place of bfloat16. No input has both: neither can hold the other.
_FLOAT16 = Kind(
    "leaf",
    "jax.device_put(np.float16([1.0, -0.0]))",
    (),
    ("leaf:float16", "leaf-is:array", "leaf-is:inexact"),
)
_WITH_FLOAT16 = tuple(_FLOAT16 if kind in _HALF else kind for kind in PARAMETERS)
# Arrays with three, four and five axes.
RANKS = tuple(
    Kind(
        "leaf",
        f"jax.device_put(np.arange({size}, dtype=np.float32).reshape({shape}))",
        (),
        (f"leaf:rank-{len(shape)}",),
    )
    for size, shape in ((12, (2, 3, 2)), (8, (2, 1, 2, 2)), (24, (2, 1, 3, 2, 2)))
)
COMPLEX = (
    Kind("leaf", "jax.device_put(np.complex64([1.5 + 2j, 2.5]))", (), ("leaf:complex64",)),
    Kind("leaf", "jax.device_put(np.complex64(0.5 - 1j))", (), ("leaf:complex64-scalar",)),
)


def steps(**options: Any) -> Callable[[Subject], st.SearchStrategy[Recipe]]:
    """Return, for a subject, the strategy that binds `tx`, `params`, `grads` and `extra`.

    Args:
        options: options of `hypothesis_pytrees.optax.optimisations.optimisations`.
    """

    def strategy(subject: Subject) -> st.SearchStrategy[Recipe]:
        assert subject.instances is not None
        return subject.instances(**options)

    return strategy


def steps_of_halves(**options: Any) -> Callable[[Subject], st.SearchStrategy[Recipe]]:
    """Return, for a subject, the strategy of `steps` with bfloat16 or float16 among the dtypes.

    Args:
        options: further options of `steps`.
    """

    def strategy(subject: Subject) -> st.SearchStrategy[Recipe]:
        wide = steps(leaves=_WITH_FLOAT16, **options)(subject)
        return st.one_of(steps(**options)(subject), wide)

    return strategy


def steps_of_one_dtype(
    leaves: Sequence[Kind], **options: Any
) -> Callable[[Subject], st.SearchStrategy[Recipe]]:
    """Return, for a subject, the strategy of `steps` with parameters that share a dtype.

    Args:
        leaves: kinds of leaf; those of one input are of one kind.
        options: further options of `steps`.
    """

    def strategy(subject: Subject) -> st.SearchStrategy[Recipe]:
        return st.one_of([steps(leaves=(kind,), **options)(subject) for kind in leaves])

    return strategy


def makers(**options: Any) -> Callable[[Subject], st.SearchStrategy[Recipe]]:
    """Return, for a subject, the strategy that binds `make`, which makes the transformation.

    Args:
        options: options of `steps`.
    """

    def strategy(subject: Subject) -> st.SearchStrategy[Recipe]:
        plain = steps(kinds=(), models=False, some=True, **options)(subject)
        return plain.map(_delayed)

    return strategy


def _delayed(recipe: Recipe) -> Recipe:
    """Turn the statement that makes the transformation into one that makes it when called."""
    *_, text = (line for line in recipe.statements if line.startswith("tx = "))
    making = f"make = lambda: {text.removeprefix('tx = ')}"
    options = frozenset(one for one in recipe.features if not one.startswith(("params:", "leaf")))
    return Recipe(recipe.definitions, (making,), features=options)


def types(tree: Any) -> Any:
    """Replace each leaf by its type as text: `"float32[2,3]"`, `"weak float32[]"`."""
    return jtu.tree_map(_type, tree)


def dtypes(tree: Any) -> Any:
    """Replace each leaf by its dtype as text."""
    return jtu.tree_map(lambda leaf: str(jax.dtypes.result_type(leaf)), tree)


def shapes(tree: Any) -> Any:
    """Replace each leaf by its shape as text."""
    return jtu.tree_map(lambda leaf: str(leaf.shape), tree)


def _type(leaf: Any) -> str:
    if not hasattr(leaf, "dtype"):
        return type(leaf).__name__
    weak = "weak " if getattr(leaf, "weak_type", False) else ""
    return f"{weak}{leaf.dtype}[{','.join(map(str, leaf.shape))}]"


def states(case: Any) -> tuple[Any, Any]:
    """Return the abstract state that `init` returns, and the one after an `update`."""

    def step(grads: Any, params: Any) -> Any:
        state = case.tx.init(params)
        return state, case.tx.update(grads, state, params, **case.extra)[1]

    return jax.eval_shape(step, case.grads, case.params)


def keeps_dtypes(case: Any) -> None:
    """Demand that the updates have the dtypes of the parameters, as the gradients do."""

    def step(grads: Any, params: Any) -> Any:
        return case.tx.update(grads, case.tx.init(params), params, **case.extra)[0]

    same(dtypes(jax.eval_shape(step, case.grads, case.params)), dtypes(case.params))


def keeps_types(before: Any, after: Any) -> None:
    """Demand that each leaf of `before` has its place, shape and dtype in `after` too.

    `after` may hold further leaves. Whether arrays are weakly typed does not matter.
    """
    ours, theirs = _by_place(before, _strong), _by_place(after, _strong)
    same({place: theirs.get(place, "no leaf") for place in ours}, ours)


def keeps_weak_types(before: Any, after: Any) -> None:
    """Demand that each leaf of `before` is weakly typed in `after` if and only if it was before."""
    ours, theirs = _by_place(before, _is_weak), _by_place(after, _is_weak)
    same({place: theirs.get(place, weak) for place, weak in ours.items()}, ours)


def _by_place(tree: Any, describe: Callable[[Any], Any]) -> dict[str, Any]:
    pairs, _ = jtu.tree_flatten_with_path(tree)
    return {jtu.keystr(path): describe(leaf) for path, leaf in pairs}


def _is_weak(leaf: Any) -> bool:
    return not hasattr(leaf, "dtype") or bool(getattr(leaf, "weak_type", False))


def _strong(leaf: Any) -> str:
    return _type(leaf).removeprefix("weak ")


def zeros(tree: Any) -> Any:
    """Return a tree of zeros with the shapes and dtypes of the leaves."""
    return jtu.tree_map(jnp.zeros_like, tree)


def are_zeros(got: Any, model: Any) -> None:
    """Demand zeros with the structure and shapes of the model."""
    same(shapes(got), shapes(model))
    same(
        jtu.tree_map(lambda leaf: int(jnp.count_nonzero(leaf)), got),
        jtu.tree_map(lambda _: 0, model),
    )


def close(got: Any, wanted: Any) -> None:
    """Demand equal structures, types and, apart from rounding, values."""
    same(types(got), types(wanted))
    rounded = jtu.tree_map(lambda one, other: bool(jnp.allclose(one, other, 1e-2)), got, wanted)
    same(rounded, jtu.tree_map(lambda _: True, wanted))


def as_arrays(tree: Any) -> Any:
    """Return the tree with NumPy arrays as leaves, in which zeros have no sign."""
    return jtu.tree_map(lambda leaf: np.asarray(leaf) + np.zeros((), leaf.dtype), tree)


def in_order(case: Any) -> tuple[Any, tuple[Any, ...]]:
    """Apply the transformations in `links` in order; return the updates and all states."""
    updates, states = case.grads, []
    for tx in case.links:
        updates, state = tx.update(updates, tx.init(case.params), case.params)
        states.append(state)
    return updates, tuple(states)


def looped_over(case: Any, steps: int) -> Any:
    """Update `steps` times outside a trace; return the last updates and the last state."""
    updates, state = case.grads, case.tx.init(case.params)
    for _ in range(steps):
        updates, state = case.tx.update(case.grads, state, case.params)
    return updates, state
