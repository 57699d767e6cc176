"""JAX: collectives of trees over an axis that `vmap` maps, against NumPy."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Recipe, Scope
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.batching import batched
from hypothesis_pytrees.trees.positions import names_of
from hypothesis_pytrees.trees.trees import draw_tree
from treelaws.core.law import Topic
from treelaws.equality import same

law = Topic("jax.collectives", "JAX: collectives of trees", family="jax")
_API = "https://docs.jax.dev/en/latest/_autosummary"
# By name: what it makes of the rows of a leaf; each row of the result is one of these.
_REFERENCES: Mapping[str, Callable[[Sequence[np.ndarray]], Sequence[np.ndarray]]] = {
    "psum": lambda rows: [sum(rows[1:], rows[0])] * len(rows),
    "pmean": lambda rows: [sum(rows[1:], rows[0]) / len(rows)] * len(rows),
    "pmax": lambda rows: [functools.reduce(np.maximum, rows)] * len(rows),
    "pmin": lambda rows: [functools.reduce(np.minimum, rows)] * len(rows),
    "all_gather": lambda rows: [np.stack(rows)] * len(rows),
    "ppermute": lambda rows: [*rows[-1:], *rows[:-1]],
    "pshuffle": lambda rows: [*rows[1:], *rows[:1]],
}
# A sum of bools is a count, a mean of integers is a float, and complex numbers have no order.
_KINDS = {"psum": "iufc", "pmean": "fc", "pmax": "biuf", "pmin": "biuf"}
_MAPPED = {
    "vmap": lambda lib, call: lib.vmap(call, axis_name="rows"),
    "jit": lambda lib, call: lib.jit(lib.vmap(call, axis_name="rows")),
    "named": lambda lib, call: lib.vmap(lib.jit(call), in_axes=(0,), axis_name="rows"),
    "checkpoint": lambda lib, call: lib.vmap(lib.checkpoint(call), axis_name="rows"),
}


@st.composite
def _collected(draw: st.DrawFn) -> Recipe:
    """Bind `tree`, of arrays with the same number of rows, `name` and `mapped`."""
    scope = Scope()
    # A mean of three numbers is rounded.
    size = draw(st.sampled_from((1, 2, 4)))
    drawn = draw_tree(draw, scope, leaves=batched(size), kinds=(*CONTAINERS, *NODES), max_leaves=4)
    scope.bind("tree", drawn)
    if not jtu.tree_leaves(names_of(scope)["tree"]):
        scope.rebind("tree", f"(tree, jax.device_put(np.float32(np.arange({size}))))")
    kinds = {_kind(leaf) for leaf in jtu.tree_leaves(names_of(scope)["tree"])}
    fits = [name for name in _REFERENCES if kinds <= set(_KINDS.get(name, kinds))]
    name, mapped = draw(st.sampled_from(fits)), draw(st.sampled_from(tuple(_MAPPED)))
    scope.note(f"collective:{name}", f"mapped:{mapped}")
    scope.bind("name", repr(name))
    scope.bind("mapped", repr(mapped))
    return scope.recipe()


@law(
    "a collective of a tree over an axis that `vmap` maps combines the rows of each leaf",
    source=f"{_API}/jax.lax.psum.html",
    needs={f"lax.{name}" for name in _REFERENCES} | {"vmap", "jit", "checkpoint"},
    case=_collected(),
)
def a_collective_combines_the_rows_of_each_leaf(lib, case):
    """Each of their pages says so of every leaf of a tree."""
    found = _MAPPED[case.mapped](lib, _collective(lib, case))(case.tree)
    combine = functools.partial(_combined, _REFERENCES[case.name])
    same(jtu.tree_map(_strong, found), jtu.tree_map(combine, case.tree))


def _collective(lib, case):
    call = getattr(lib.lax, case.name)
    count = len(jtu.tree_leaves(case.tree)[0])
    pairs = [(row, (row + 1) % count) for row in range(count)]
    order = [(row + 1) % count for row in range(count)]
    options = {"ppermute": (pairs,), "pshuffle": (order,)}.get(case.name, ())
    return lambda tree: call(tree, "rows", *options)


def _combined(reference, leaf):
    rows = reference([np.asarray(row) for row in leaf])
    return jnp.asarray(np.stack(rows).astype(leaf.dtype))


def _kind(leaf):
    return "f" if jnp.issubdtype(leaf.dtype, jnp.floating) else leaf.dtype.kind


def _strong(leaf):
    # An axis of one row may return an array of NumPy as it is.
    return jnp.asarray(leaf).astype(leaf.dtype)
