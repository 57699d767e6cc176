"""Batches: trees of arrays with a common leading axis, and axis specs that are prefixes of them."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import EMPTY_ON_DEVICES, Since
from hypothesis_pytrees.leaves.leaves import pool

from .meshes import COUNT
from .positions import bind_tree, names_of
from .prefixes import CUTS, draw_prefix
from .trees import trees as any_tree


def _array(name: str, text: str, tags: str, *needs: Since) -> Kind:
    features = (f"leaf:batched-{name}", *(f"leaf-is:{tag}" for tag in tags.split()))
    return Kind("leaf", text, (), features, needs=needs)


@functools.cache
def _arrays(size: int) -> tuple[Kind, ...]:
    """Return the arrays of one batch size; every slice along an axis differs from the others."""
    line = f"np.arange({size})"
    square = f"np.arange({size * size}).reshape({size}, {size})"
    narrow = f"np.arange({2 * size}).reshape({size}, 2)"
    # As many rows as devices are mapped over them.
    needs = (EMPTY_ON_DEVICES,) if size == COUNT else ()
    empty = f"jax.device_put(np.zeros(({size}, 0), np.float32))"
    return (
        _array("float32", f"jax.device_put(np.float32({line}))", "array inexact"),
        _array("float32-matrix", f"jax.device_put(np.float32({narrow}))", "array inexact"),
        _array("float32-square", f"jax.device_put(np.float32({square}))", "array inexact"),
        _array("int32", f"jax.device_put(np.int32({line}))", "array"),
        _array("bool", f"jax.device_put({line} % 2 == 0)", "array"),
        _array("bfloat16", f"jax.device_put({line}.astype(jnp.bfloat16))", "array inexact"),
        _array("complex64", f"jax.device_put(np.complex64({line}))", "array inexact"),
        _array("empty", empty, "array inexact", *needs),
        _array("numpy-float32", f"np.float32({line})", "numpy inexact"),
        _array("numpy-int32", f"np.int32({square})", "numpy"),
    )


# Leaves that no transformation maps over.
_STATIC = (
    _array("static-str", "'text'", "object"),
    _array("static-function", "jnp.tanh", "object function unpicklable"),
    _array("static-bool", "True", "python"),
)


@functools.cache
def batched(size: int = 3, *, static: bool = False) -> st.SearchStrategy[Recipe]:
    """Draw an array whose leading axis has one size, so that a tree of them can be mapped over.

    Args:
        size: the size of the leading axis, at least 1; default 3.
        static: also draw leaves that are not arrays; default `False`.

    Raises:
        ValueError: `size` is below 1.
    """
    if size < 1:
        raise ValueError(f"size must be at least 1, got {size}")
    arrays = tuple(available(_arrays(size)))
    return pool((*arrays, *_STATIC) if static else arrays)


def draw_axes(
    draw: st.DrawFn,
    scope: Scope,
    tree: str = "tree",
    *,
    size: int = 3,
    callables: bool = False,
) -> str:
    """Draw an axis spec for a tree of batched arrays, bind it and return its name.

    At least one array is mapped over where one has a leading or a last axis of `size`.

    Args:
        tree: name of the tree, bound already.
        size: the size that every mapped axis must have.
        callables: also draw `eqx.if_array(0)` and functions of the leaf; default `False`.
    """
    cut = CUTS[draw(st.integers(0, len(CUTS) - 1))]
    prefix = draw_prefix(draw, scope, cut, tree)
    tables = [_axes(subtree, size, callables) for subtree in prefix.subtrees]
    if all(table == _NO_AXIS for table in tables):
        # Arrays of other shapes stand in the way of a spec for whole subtrees.
        prefix = draw_prefix(draw, scope, "leaves", tree)
        tables = [_axes(subtree, size, callables) for subtree in prefix.subtrees]
    chosen = [table[draw(st.integers(0, len(table) - 1))] for table in tables]
    mappable = [index for index, table in enumerate(tables) if table != _NO_AXIS]
    if mappable and all(axis == "None" for axis in chosen):
        chosen[mappable[0]] = tables[mappable[0]][0]
    scope.note(f"axes:{prefix.cut}", *(f"axes:{_NAMES.get(axis, 'callable')}" for axis in chosen))
    return scope.bind("axes", prefix.text(chosen))


_NO_AXIS = ["None"]
_NAMES = {"0": "leading", "-1": "last", "None": "none"}


def _axes(subtree: Any, size: int, callables: bool) -> list[str]:
    """Return the axis specs that fit every leaf of a subtree, simplest first, `None` always."""
    leaves = jtu.tree_leaves(subtree)
    arrays = [leaf.shape for leaf in leaves if isinstance(leaf, (jax.Array, np.ndarray))]
    leading = all(shape and shape[0] == size for shape in arrays)
    fits = len(arrays) == len(leaves) > 0
    table = ["0"] if leading and fits else []
    if callables and leading and arrays:
        table += ["eqx.if_array(0)", "lambda leaf: 0 if hasattr(leaf, 'shape') else None"]
    if fits and all(shape and shape[-1] == size for shape in arrays):
        table.append("-1")
    return [*table, "None"]


@st.composite
def batches(
    draw: st.DrawFn,
    trees: st.SearchStrategy[Recipe] | None = None,
    *,
    size: int = 3,
    callables: bool = False,
) -> Recipe:
    """Draw a tree of arrays with a common leading axis and an axis spec that is a prefix of it.

    The recipe binds `tree` and `axes`, as `jax.vmap(f, in_axes=(axes,))` takes them. Features:
    where the spec ends (`axes:root`, `axes:leaves`, `axes:children`, `axes:type`, `axes:node`) and
    its leaves (`axes:leading`, `axes:last`, `axes:none`, `axes:callable`). A tree without an
    array of that size is put into a list beside one.

    Args:
        trees: strategy of the tree's recipe, whose arrays have leading axes of `size`; default
            `hypothesis_pytrees.trees(batched(size))`.
        size: the size of every mapped axis, at least 1; default 3.
        callables: also draw `eqx.if_array(0)` and functions of the leaf, for `eqx.filter_vmap`;
            default `False`.

    Raises:
        ValueError: `size` is below 1.

    Source: https://docs.jax.dev/en/latest/_autosummary/jax.vmap.html
    """
    scope = Scope()
    tree = bind_tree(draw, scope, _batched_trees(size) if trees is None else trees)
    if all(_axes(leaf, size, False) == _NO_AXIS for leaf in jtu.tree_leaves(names_of(scope)[tree])):
        scope.rebind(tree, f"[{tree}, {_arrays(size)[0].template}]")
    draw_axes(draw, scope, tree, size=size, callables=callables)
    return scope.recipe()


@functools.cache
def _batched_trees(size: int) -> st.SearchStrategy[Recipe]:
    return any_tree(batched(size))
