"""The pool of structures: fixed, bounded, complete; pairs that differ in what they say."""

from __future__ import annotations

from typing import Any

import jax
import jax.tree_util as jtu
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from hypothesis_pytrees import CONTAINERS, MODULES, NODES, Recipe
from hypothesis_pytrees.core.contexts import CONTEXTS, contexts, definitions_of
from hypothesis_pytrees.trees.structures import (
    CHANGES,
    EQUAL,
    STRUCTURES,
    UNEQUAL,
    structure_pairs,
    structures,
    usable_structures,
)

SOME = settings(max_examples=60, derandomize=True, deadline=None, database=None)
FEW = settings(SOME, max_examples=30)


def is_array(leaf: Any) -> bool:
    return isinstance(leaf, (jax.Array, np.ndarray))


def arrays(tree: Any) -> list[Any]:
    return [leaf for leaf in jtu.tree_leaves(tree) if is_array(leaf)]


def statics(tree: Any) -> list[Any]:
    return [leaf for leaf in jtu.tree_leaves(tree) if not is_array(leaf)]


def draw_from(strategy: st.SearchStrategy[Recipe]) -> None:
    @FEW
    @given(strategy)
    def draw(_: Recipe) -> None:
        pass

    draw()


def test_every_kind_of_node_is_in_the_pool() -> None:
    held = {kind.name for structure in STRUCTURES for kind in structure.kinds}
    assert held >= {kind.name for kind in (*CONTAINERS, *NODES, *MODULES)}


def test_the_pool_is_small_and_usable() -> None:
    assert len(STRUCTURES) <= 32
    assert len(usable_structures()) >= 24
    assert len(set(STRUCTURES)) == len(STRUCTURES)


@SOME
@given(structures())
def test_source_rebuilds_the_tree(recipe: Recipe) -> None:
    one, other = recipe.build(), recipe.build()
    assert jtu.tree_structure(one) == jtu.tree_structure(other)
    assert statics(one) == statics(other)
    for left, right in zip(arrays(one), arrays(other), strict=True):
        np.testing.assert_array_equal(left, right)


@SOME
@given(structures())
def test_arrays_have_few_shapes_and_dtypes(recipe: Recipe) -> None:
    tree = recipe.build()
    assert {(leaf.shape, str(leaf.dtype)) for leaf in arrays(tree)} <= {
        ((2,), "float32"),
        ((), "float32"),
        ((2,), "int32"),
    }
    for leaf in statics(tree):
        hash(leaf)


@SOME
@given(structures(integers=False, scalars=False, statics=False, finite=True, inexact=True))
def test_options_leave_out_what_they_say(recipe: Recipe) -> None:
    leaves = jtu.tree_leaves(recipe.build())
    assert leaves
    for leaf in leaves:
        assert (leaf.shape, leaf.dtype) == ((2,), np.float32)
        assert np.isfinite(leaf).all()


@SOME
@given(st.data())
@pytest.mark.parametrize("change", CHANGES)
def test_pairs_differ_in_what_they_say(change: str, data: st.DataObject) -> None:
    recipe = data.draw(structure_pairs(change, finite=True))
    names = recipe.run()
    tree, other = names["tree"], names["other"]
    assert jtu.tree_structure(tree) == jtu.tree_structure(other)
    pairs = list(zip(statics(tree), statics(other), strict=True))
    if change == "arrays":
        assert all(one is two or one == two for one, two in pairs)
    elif change == "static":
        assert [one == two for one, two in pairs].count(False) == 1
    else:
        assert all(one == two for one, two in pairs)
        assert [repr(one) == repr(two) for one, two in pairs].count(False) == 1
    assert {"arrays": {"change:arrays"}, "static": {"change:static"}}.get(
        change, {"change:type", "change:sign"}
    ) & recipe.features


def test_static_leaves_are_equal_only_where_they_say() -> None:
    values = [recipe.build() for recipe in UNEQUAL]
    assert len(set(values)) == len(values)
    for table in EQUAL:
        same = [recipe.build() for recipe in table]
        assert len(set(same)) == 1
        assert len(set(map(repr, same))) == len(same)


def test_an_unknown_change_is_refused() -> None:
    with pytest.raises(ValueError, match="changes must be among arrays, static, type, got 'leaf'"):
        draw_from(structure_pairs("leaf"))


@FEW
@given(structures(integers=False, statics=False, finite=True), contexts())
def test_contexts_keep_structure_shapes_and_dtypes(tree: Recipe, context: Recipe) -> None:
    value = tree.build()
    double = lambda tree: jtu.tree_map(lambda leaf: leaf + leaf, tree)
    result = jax.eval_shape(context.build()(double), value)
    assert jtu.tree_structure(result) == jtu.tree_structure(value)
    for got, wanted in zip(jtu.tree_leaves(result), jtu.tree_leaves(value), strict=True):
        assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)


@pytest.mark.parametrize("name", CONTEXTS)
def test_each_context_calls_the_function(name: str) -> None:
    calls: list[int] = []

    def function(tree: Any) -> Any:
        calls.append(1)
        return tree

    context = Recipe(definitions_of(name), (), f"in_{name.replace('-', '_')}").build()
    context(function)(np.ones(2, np.float32))
    assert calls


def test_no_context_is_no_depth() -> None:
    with pytest.raises(ValueError, match="max_depth must be at least 1, got 0"):
        draw_from(contexts(max_depth=0))
