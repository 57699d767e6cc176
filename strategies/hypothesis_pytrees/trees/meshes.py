"""Meshes of up to eight devices, and shardings for a tree: one for the whole, or a prefix of it.

The text asks JAX for its first eight devices; a process has them on the CPU if
`--xla_force_host_platform_device_count=8` is in `XLA_FLAGS` when JAX starts.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import EMPTY_ON_DEVICES, Since

from .positions import bind_tree, names_of
from .prefixes import CUTS, draw_prefix

COUNT = 8
# Simplest first; some have fewer devices.
_SHAPES = ((8,), (2, 4), (4, 2), (2, 2, 2), (1, 8), (2,), (4, 1), (1,))
_AXES = (("x", "y", "z"), ("data", "model", "stage"), ("y", "x", "_"), ("batch", "0", "a b"))
_ORDERS = {"plain": "", "reversed": "[::-1]", "permuted": "[[3, 6, 0, 5, 1, 7, 4, 2]]"}
_SPEC = "jax.sharding.PartitionSpec"
_NONE = "None"
_EXPLICIT = Since(
    "axis types of a mesh", "jax>=0.5.3", "https://docs.jax.dev/en/latest/201/sharding.html"
)
# A leaf of another type is put nowhere.
_SHAPED = (jax.Array, np.ndarray, np.generic, int, float)


def _array(name: str, text: str, *tags: str) -> Kind:
    features = (f"leaf:sharded-{name}", *(f"leaf-is:{tag}" for tag in tags))
    return Kind("leaf", text, (), features)


def _counted(name: str, shape: tuple[int, ...], dtype: str, *tags: str) -> Kind:
    numbers = f"np.arange({math.prod(shape)}).reshape({shape})"
    return _array(name, f"jax.device_put({numbers}.astype({dtype}))", *tags)


# Small whole numbers: sums and halves of them are exact in each of these types.
FLOATS: Sequence[Kind] = (
    _counted("float32", (8,), "np.float32", "array", "inexact"),
    _counted("float32-matrix", (8, 4), "np.float32", "array", "inexact"),
    _counted("float32-wide", (4, 8), "np.float32", "array", "inexact"),
    _counted("float32-cube", (2, 4, 8), "np.float32", "array", "inexact"),
    _counted("bfloat16", (16,), "jnp.bfloat16", "array", "inexact"),
    _counted("float16", (8, 2), "np.float16", "array", "inexact"),
    _array("scalar", "jax.device_put(np.float32(0.5))", "array", "inexact"),
    _counted("odd", (3, 5), "np.float32", "array", "inexact"),
)
ARRAYS: Sequence[Kind] = (
    *FLOATS,
    _counted("int32", (8,), "np.int32", "array"),
    _counted("uint8", (4, 4), "np.uint8", "array"),
    _array("bool", "jax.device_put(np.arange(8) % 3 == 0)", "array"),
    _counted("complex64", (8, 2), "np.complex64", "array", "inexact"),
    _array("weak", "jnp.asarray(2.0)", "array", "inexact"),
)
EMPTY: Sequence[Kind] = (
    dataclasses.replace(
        _counted("empty", (0, 8), "np.float32", "array", "inexact"), needs=(EMPTY_ON_DEVICES,)
    ),
)
# What JAX makes arrays of.
ARRAY_LIKE: Sequence[Kind] = (
    *ARRAYS,
    _array("numpy-float32", "np.arange(8.0, dtype=np.float32)", "numpy", "inexact"),
    _array("numpy-int64", "np.arange(16).reshape(8, 2)", "numpy"),
    _array("numpy-scalar", "np.float32(2.0)", "numpy-scalar", "inexact"),
    _array("int", "3", "python"),
    _array("float", "1.5", "python", "inexact"),
    _array("true", "True", "python"),
)
# Eight rows each, to map and to loop over.
ROWS: Sequence[Kind] = (
    _counted("rows-float32", (8,), "np.float32", "array", "inexact"),
    _counted("rows-matrix", (8, 4), "np.float32", "array", "inexact"),
    _counted("rows-cube", (8, 2, 2), "np.float32", "array", "inexact"),
    _counted("rows-bfloat16", (8,), "jnp.bfloat16", "array", "inexact"),
    _counted("rows-int32", (8, 2), "np.int32", "array"),
)
# What is not an array of JAX; a function of trees keeps it.
STATIC: Sequence[Kind] = (
    _array("str", "'text'", "object"),
    _array("function", "jnp.tanh", "object", "function", "unpicklable"),
    _array("int", "3", "python"),
)
KEYS: Sequence[Kind] = (_array("key", "jax.random.split(jax.random.key(0), 8)", "key"),)


@dataclasses.dataclass(frozen=True)
class Mesh:
    """A mesh that a scope has bound.

    Args:
        name: its name in the text.
        axes: the sizes of its axes by name.
    """

    name: str
    axes: Mapping[str, int]


def draw_mesh(draw: st.DrawFn, scope: Scope, *, least: int = 1, explicit: bool = False) -> Mesh:
    """Draw a mesh of automatic axes, bind `mesh`, and return it.

    Args:
        least: the least number of its devices, at most 8; default 1.
        explicit: also draw meshes of explicit axes, with which many computations ask for the
            sharding of their result; default `False`.
    """
    shapes = [shape for shape in _SHAPES if math.prod(shape) >= least]
    shape = shapes[draw(st.integers(0, len(shapes) - 1))]
    names = _AXES[draw(st.integers(0, len(_AXES) - 1))][: len(shape)]
    order = draw(st.sampled_from(tuple(_ORDERS)))
    count = math.prod(shape)
    devices = f"np.array(jax.devices()[:{COUNT}]){_ORDERS[order]}[:{count}]"
    if order == "plain":
        devices = f"np.array(jax.devices()[:{count}])"
    if len(shape) > 1:
        devices += f".reshape({shape})"
    scope.note(f"mesh:{'x'.join(map(str, shape))}", f"order:{order}")
    types = ""
    if explicit and not _EXPLICIT.lacking() and draw(st.booleans()):
        scope.note("mesh:explicit")
        types = f", axis_types=(jax.sharding.AxisType.Explicit,) * {len(shape)}"
    name = scope.bind("mesh", f"jax.sharding.Mesh({devices}, {names}{types})")
    return Mesh(name, dict(zip(names, shape, strict=True)))


def draw_spec(
    draw: st.DrawFn, scope: Scope, axes: Mapping[str, int], shapes: Sequence[tuple[int, ...]]
) -> str:
    """Draw a spec that fits arrays of these shapes, and return its text; see `draw_entries`."""
    return f"{_SPEC}({', '.join(map(repr, draw_entries(draw, scope, axes, shapes)))})"


def draw_entries(
    draw: st.DrawFn, scope: Scope, axes: Mapping[str, int], shapes: Sequence[tuple[int, ...]]
) -> list[Any]:
    """Draw the entries of a spec that fits arrays of these shapes; it may have fewer than they.

    Args:
        axes: the sizes of the axes of the mesh by name; one array axis may have several.
        shapes: the shapes of the arrays.
    """
    rank, left = min((len(shape) for shape in shapes), default=0), list(axes)
    entries: list[Any] = []
    for place in range(draw(st.integers(0, rank))):
        table = [None, *_entries(axes, left, [shape[place] for shape in shapes])]
        # The last entry is the one with most axes.
        entry = table[-1 - draw(st.integers(0, len(table) - 1))]
        entries.append(entry)
        taken = entry if isinstance(entry, tuple) else (entry,)
        left = [name for name in left if name not in taken]
        if entry is not None:
            scope.note("spec:several" if isinstance(entry, tuple) else "spec:axis")
    return entries


def _entries(axes: Mapping[str, int], left: Sequence[str], sizes: Sequence[int]) -> list[Any]:
    chosen = [
        names
        for count in (1, 2, 3)
        for names in itertools.permutations(left, count)
        if all(size % math.prod(axes[name] for name in names) == 0 for size in sizes)
    ]
    return [names[0] if len(names) == 1 else names for names in chosen]


def draw_shardings(
    draw: st.DrawFn,
    scope: Scope,
    mesh: Mesh,
    tree: str = "tree",
    *,
    name: str = "where",
    specs: bool = False,
    single: bool = False,
    none: bool = False,
    axes: Sequence[str] | None = None,
) -> str:
    """Draw a sharding, or a prefix of the tree with shardings, bind it and return its name.

    Args:
        mesh: the mesh of all of them.
        tree: name of the tree, bound already.
        name: the name to bind; default `where`.
        specs: draw specs in the place of shardings, as `jax.shard_map` takes them.
        single: also draw shardings of one device, mostly not the first, and such devices.
        none: also draw `None`.
        axes: the axes of the mesh that specs may name; default all.
    """
    prefix = draw_prefix(draw, scope, CUTS[draw(st.integers(0, len(CUTS) - 1))], tree)
    sizes = {key: size for key, size in mesh.axes.items() if axes is None or key in axes}
    scope.note(f"shardings:{prefix.cut}")
    if prefix.structure and callable(names_of(scope)[tree]):
        scope.note("shardings:callable")
    texts = []
    for subtree in prefix.subtrees:
        leaves = jtu.tree_leaves(subtree)
        shapes = [np.shape(leaf) for leaf in leaves if isinstance(leaf, _SHAPED)]
        kind = draw(st.integers(0, 4))
        if kind == 4 and single:
            scope.note("shardings:single")
            device = f"jax.devices()[{draw(st.integers(0, COUNT - 1))}]"
            texts.append(f"jax.sharding.SingleDeviceSharding({device})")
        elif kind == 3 and none:
            scope.note("shardings:none")
            texts.append(_NONE)
        else:
            spec = draw_spec(draw, scope, sizes, shapes)
            texts.append(spec if specs else f"jax.sharding.NamedSharding({mesh.name}, {spec})")
    return scope.bind(name, prefix.text(texts))


@st.composite
def sharded(
    draw: st.DrawFn,
    trees: st.SearchStrategy[Recipe],
    *,
    least: int = 1,
    names: Sequence[str] = ("where",),
    explicit: bool = False,
    **options: Any,
) -> Recipe:
    """Draw a tree, a mesh and shardings for it; bind `tree`, `mesh` and each of the names.

    Args:
        trees: strategy of the tree's recipe.
        least: the least number of devices of the mesh; default 1.
        names: the names of prefixes of shardings to bind; default `where`.
        explicit: also draw meshes of explicit axes; default `False`.
        options: as `draw_shardings` takes them.
    """
    scope = Scope()
    tree = bind_tree(draw, scope, trees)
    names_of(scope)
    mesh = draw_mesh(draw, scope, least=least, explicit=explicit)
    for name in names:
        draw_shardings(draw, scope, mesh, tree, name=name, **options)
    return scope.recipe()
