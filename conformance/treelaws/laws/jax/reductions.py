"""JAX: reductions whose operand is a tree, against NumPy."""

from __future__ import annotations

import itertools
import operator

import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Kind, Recipe, Scope
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.trees import draw_tree
from treelaws.core.law import Topic
from treelaws.equality import same

law = Topic("jax.reductions", "JAX: reductions of trees", family="jax")
_API = "https://docs.jax.dev/en/latest/_autosummary"
_SHAPE = (2, 3, 4)
_DTYPES = ("float32", "int32", "uint8", "bfloat16", "float16")
# Entries from 0 to 6: sums of all of them are exact. The start must be an identity, and 0 is one
# for numbers that are not below it.
_NUMBERS = "jax.device_put((np.arange(24) * {} % 7).reshape({}).astype(jnp.{}))"
_LEAVES = tuple(
    Kind("leaf", _NUMBERS.format(place, _SHAPE, name), (), (f"leaf:{name}",))
    for place, name in enumerate(_DTYPES, 2)
)
_COMBINE = {
    "sum": "lambda one, other: jtu.tree_map(jnp.add, one, other)",
    "greatest": "lambda one, other: jtu.tree_map(jnp.maximum, one, other)",
    # All leaves are taken from where the first one, whose entries differ, is greatest.
    "first-decides": "lambda one, other: jtu.tree_map("
    "lambda x, y: jnp.where(one[0] >= other[0], x, y), one, other)",
}
_PADDINGS = ("'VALID'", "'SAME'", "((0, 0), (1, 0), (0, 2))")


@st.composite
def _trees(draw: st.DrawFn, *, windows: bool = False) -> Recipe:
    """Bind `tree`, a list of an array and a tree, `start`, `combine`, its `name`, and where."""
    scope = Scope()
    name = draw(st.sampled_from(tuple(_COMBINE)))
    scope.note(f"reduction:{name}")
    leaves = pool(_LEAVES)
    drawn = draw_tree(draw, scope, leaves=leaves, kinds=(*CONTAINERS, *NODES), max_leaves=3)
    first = f"jax.device_put(np.float32((np.arange(24) * 5 + 7) % 24 + 1).reshape({_SHAPE}))"
    scope.bind("tree", f"[{first}, {drawn}]")
    scope.bind("start", "jtu.tree_map(lambda leaf: jnp.zeros((), leaf.dtype), tree)")
    scope.bind("name", repr(name))
    scope.bind("combine", _COMBINE[name])
    if windows:
        scope.bind("window", repr(tuple(draw(st.integers(1, size)) for size in _SHAPE)))
        scope.bind("strides", repr(tuple(draw(st.integers(1, 2)) for _ in _SHAPE)))
        padding = scope.bind("padding", draw(st.sampled_from(_PADDINGS)))
        scope.note(f"padding:{padding}")
        return scope.recipe()
    axes = draw(st.lists(st.sampled_from(range(3)), min_size=1, unique=True))
    scope.bind("axes", repr(tuple(axes)))
    return scope.recipe()


@law(
    "`reduce` of a tree combines its arrays along the axes by an associative function of trees",
    source=f"{_API}/jax.lax.reduce.html",
    level="should",
    case=_trees(),
    needs={"lax.reduce"},
)
def trees_are_reduced(lib, case):
    found = lib.lax.reduce(case.tree, case.start, case.combine, case.axes)
    same(found, _reduced(case, lambda leaf: _to_back(leaf, case.axes)))


@law(
    "`reduce_window` of a tree combines its arrays in each window by an associative function of "
    "trees",
    source=f"{_API}/jax.lax.reduce_window.html",
    level="should",
    case=_trees(windows=True),
    needs={"lax.reduce_window"},
    parents=[trees_are_reduced],
)
def trees_are_reduced_in_windows(lib, case):
    options = (case.window, case.strides, case.padding)
    found = lib.lax.reduce_window(case.tree, case.start, case.combine, *options)
    same(found, _reduced(case, lambda leaf: _windows(leaf, *options)))


def _reduced(case, rows_of):
    """Return the tree with the rows of each leaf, its last axis, combined."""
    leaves, structure = jtu.tree_flatten(case.tree)
    rows = [rows_of(np.asarray(leaf).astype(np.float32)) for leaf in leaves]
    chosen = np.argmax(rows[0], axis=-1)[..., None]
    combine = {
        "sum": lambda row: row.sum(-1),
        "greatest": lambda row: row.max(-1),
        "first-decides": lambda row: np.take_along_axis(row, chosen, -1)[..., 0],
    }[case.name]
    found = [jnp.asarray(combine(row), leaf.dtype) for row, leaf in zip(rows, leaves, strict=True)]
    return jtu.tree_unflatten(structure, found)


def _to_back(leaf, axes):
    """Return the array with these axes joined at the end."""
    kept = [axis for axis in range(leaf.ndim) if axis not in axes]
    shape = tuple(leaf.shape[axis] for axis in kept)
    return leaf.transpose(*kept, *axes).reshape(*shape, -1)


def _windows(leaf, window, strides, padding):
    """Return the entries of each window at the end; 0 where a window hangs over."""
    if padding == "VALID":
        padding = ((0, 0),) * leaf.ndim
    elif padding == "SAME":
        padding = tuple(map(_same, leaf.shape, window, strides))
    padded = np.pad(leaf, padding)
    sizes = zip(padded.shape, window, strides, strict=True)
    counts = [(size - width) // step + 1 for size, width, step in sizes]
    found = np.zeros((*counts, int(np.prod(window))), leaf.dtype)
    for place in itertools.product(*map(range, counts)):
        starts = map(operator.mul, place, strides)
        part = [slice(start, start + width) for start, width in zip(starts, window, strict=True)]
        found[place] = padded[tuple(part)].ravel()
    return found


def _same(size, width, step):
    """Return the padding of an axis that has a window for each step, half of it in front."""
    missing = max((-(-size // step) - 1) * step + width - size, 0)
    return missing // 2, missing - missing // 2
