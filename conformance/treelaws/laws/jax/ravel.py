"""JAX: `ravel_pytree`, which turns a tree of arrays into one vector and back."""

from __future__ import annotations

import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Recipe, Scope, trees
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.leaves.leaves import (
    JAX_ARRAYS,
    NUMPY_ARRAYS,
    NUMPY_SCALARS,
    PYTHON_SCALARS,
    pool,
)
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.positions import names_of
from hypothesis_pytrees.trees.trees import draw_tree
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same

law = Topic("jax.ravel", "JAX: ravel_pytree", family="jax")
_DOCS = "https://docs.jax.dev/en/latest/_autosummary/jax.flatten_util.ravel_pytree.html"
_ravel = {"flatten_util.ravel_pytree"}
_NUMBERS = pool(
    tuple(
        kind
        for kind in (*JAX_ARRAYS, *NUMPY_ARRAYS, *NUMPY_SCALARS, *PYTHON_SCALARS)
        if "leaf-is:big" not in kind.features
    )
)
# No Modules, since some hold strings.
_KINDS = (*CONTAINERS, *NODES)


@st.composite
def _drawn(draw: st.DrawFn, leaves: st.SearchStrategy[Recipe], leafy: bool = False) -> Recipe:
    """Bind `tree`, with at least one leaf if `leafy`; feature `ravel:leafless` if it has none."""
    scope = Scope()
    scope.bind("tree", draw_tree(draw, scope, leaves=leaves, kinds=_KINDS, max_leaves=4))
    leafless = not jtu.tree_leaves(names_of(scope)["tree"])
    if leafless and leafy:
        scope.rebind("tree", "[tree, np.int32(1)]")
    elif leafless:
        scope.note("ravel:leafless")
    return scope.recipe()


_numbers = _drawn(_NUMBERS)
_SINGLE = pool(tuple(kind for kind in JAX_ARRAYS if "leaf:float32" in str(kind.features)))
_FLOATS = _drawn(_SINGLE)


@law(
    "`ravel_pytree` returns a vector of rank 1 with one entry for each element, none for a tree "
    "without leaves",
    source=_DOCS,
    needs=_ravel,
    case=_numbers,
)
def vector_has_one_entry_an_element(lib, case):
    flat, _ = lib.flatten_util.ravel_pytree(case.tree)
    size = sum(np.size(leaf) for leaf in lib.tree_util.tree_leaves(case.tree))
    same(flat.shape, (size,))


@law(
    "`ravel_pytree` of a tree without leaves returns an empty float32 vector",
    source=_DOCS,
    needs=_ravel,
    case=cases(tree=trees(_NUMBERS)),
)
def vector_of_no_leaves_is_float32(lib, case):
    hollow = lib.tree_util.tree_map(lambda _: None, case.tree)
    flat, unravel = lib.flatten_util.ravel_pytree(hollow)
    same([flat.shape, flat.dtype], [(0,), np.dtype("float32")])
    same(unravel(flat), hollow)


@law(
    "`unravel(vector)` restores the structure, shapes, dtypes and values",
    source=_DOCS,
    needs=_ravel,
    case=_numbers,
)
def unravel_undoes_ravel(lib, case):
    """Only values that are small enough for every dtype that they are promoted to."""
    flat, unravel = lib.flatten_util.ravel_pytree(case.tree)
    got, wanted = unravel(flat), lib.tree_util.tree_map(lib.numpy.asarray, case.tree)
    same(*(lib.tree_util.tree_map(lambda leaf: np.asarray(leaf), tree) for tree in (got, wanted)))


@law(
    "`ravel_pytree` returns a vector of the dtype that the leaves promote to",
    source=_DOCS,
    needs=_ravel,
    case=_drawn(_NUMBERS, leafy=True),
)
def vector_has_the_promoted_dtype(lib, case):
    flat, _ = lib.flatten_util.ravel_pytree(case.tree)
    leaves = lib.tree_util.tree_leaves(case.tree)
    dtypes = [lib.numpy.asarray(leaf).dtype for leaf in leaves]
    same(flat.dtype, lib.numpy.result_type(*dtypes))


@law(
    "the vector holds the leaves in the order of `tree_leaves`, row by row",
    source=_DOCS,
    needs=_ravel,
    case=_numbers,
)
def vector_holds_the_leaves_in_order(lib, case):
    flat, _ = lib.flatten_util.ravel_pytree(case.tree)
    leaves = lib.tree_util.tree_leaves(case.tree)
    parts = [np.asarray(lib.numpy.asarray(leaf)).ravel().astype(flat.dtype) for leaf in leaves]
    same(np.asarray(flat), np.concatenate([np.zeros(0, flat.dtype), *parts]))


@law(
    "`unravel` raises ValueError or TypeError for a vector of another length",
    source=_DOCS,
    needs=_ravel,
    case=_numbers,
    level="should",
)
def unravel_refuses_another_length(lib, case):
    flat, unravel = lib.flatten_util.ravel_pytree(case.tree)
    longer = lib.numpy.concatenate([flat, flat[:1], lib.numpy.zeros((1,), flat.dtype)])
    refuses((ValueError, TypeError), lambda: unravel(longer))


@law(
    "for leaves of several dtypes, `unravel` raises TypeError for a vector of another dtype",
    source="https://github.com/jax-ml/jax/issues/7809",
    needs=_ravel,
    case=_FLOATS,
    level="should",
)
def unravel_refuses_another_dtype(lib, case):
    flat, unravel = lib.flatten_util.ravel_pytree([case.tree, np.float32(1), np.int32(1)])
    refuses(TypeError, lambda: unravel(flat.astype("int32")))


@law(
    "for leaves of one dtype, `unravel` takes a vector of any dtype and returns leaves of the "
    "vector's dtype",
    source="https://github.com/jax-ml/jax/issues/7809",
    needs=_ravel,
    case=_FLOATS,
    level="should",
)
def unravel_of_one_dtype_takes_any_dtype(lib, case):
    flat, unravel = lib.flatten_util.ravel_pytree(case.tree)
    got = lib.tree_util.tree_leaves(unravel(flat.astype("int32")))
    same([leaf.dtype for leaf in got], [np.dtype("int32")] * len(got))


@law(
    "trees of equal structure, shapes and dtypes have equal `unravel` functions, so that `jit` "
    "caches them",
    source="https://github.com/jax-ml/jax/blob/main/jax/_src/flatten_util.py",
    needs=_ravel,
    case=_numbers,
    level="should",
)
def unravel_functions_of_equal_trees_are_equal(lib, case):
    _, one = lib.flatten_util.ravel_pytree(case.tree)
    _, other = lib.flatten_util.ravel_pytree(case.rebuild().tree)
    equal(one, other)
    equal(hash(one), hash(other))
