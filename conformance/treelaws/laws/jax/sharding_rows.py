"""JAX: maps, loops, derivatives and vectors of trees on meshes of automatic axes.

With explicit axes, JAX asks for the sharding of a result that does not follow from its input.
"""

from __future__ import annotations

import functools

import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.trees.ways import in_ways
from hypothesis_pytrees.trees.ways_derivatives import DERIVATIVES
from treelaws.equality import same
from treelaws.laws._sharded import as_arrays, halved_squares, sharded_trees

from .sharding import EIGHT, law, leaves_are_put_where_the_prefix_says

_SHARDED = "https://docs.jax.dev/en/latest/201/sharding.html"
_ROWS = sharded_trees("rows").filter(lambda recipe: "leaf" in recipe.features)
_RAVEL = "https://docs.jax.dev/en/latest/_autosummary/jax.flatten_util.ravel_pytree.html"
# `pmap` takes devices of its own, and JAX refuses an array committed to others: "Received
# incompatible devices for jitted computation".
_DERIVATIVES = tuple(way for way in DERIVATIVES if "pmap" not in way.template)


def _add(one, other):
    return jtu.tree_map(jnp.add, one, other)


def _first(rows):
    return jtu.tree_map(lambda leaf: leaf[0], rows)


def _negative(row):
    return jtu.tree_map(jnp.negative, row)


def _step(total, row):
    return _add(total, row), _negative(row)


def _associative(lib, **options):
    # Without `jit`, it runs dozens of programs, each compiled for eight devices.
    return lib.jit(functools.partial(lib.lax.associative_scan, _add, **options))


_LOOPS = {
    "scan": lambda lib, rows: lib.lax.scan(_step, _first(rows), rows),
    "scan-back": lambda lib, rows: lib.lax.scan(_step, _first(rows), rows, reverse=True, unroll=3),
    "map": lambda lib, rows: lib.lax.map(_negative, rows),
    "map-batches": lambda lib, rows: lib.lax.map(_negative, rows, batch_size=3),
    "associative": lambda lib, rows: _associative(lib)(rows),
    "associative-back": lambda lib, rows: _associative(lib, reverse=True)(rows),
    "vmap": lambda lib, rows: lib.vmap(_negative)(rows),
    "vmap-last": lambda lib, rows: lib.vmap(_negative, out_axes=-1)(rows),
}


@st.composite
def _looped(draw: st.DrawFn) -> Recipe:
    """Bind `tree`, which has leaves, `where` and `loop`."""
    scope = Scope()
    scope.include(draw(_ROWS))
    loop = draw(st.sampled_from(tuple(_LOOPS)))
    scope.note(f"loop:{loop}")
    scope.bind("loop", repr(loop))
    return scope.recipe()


@law(
    "loops and maps over the rows of a tree on a mesh of automatic axes give the results of one "
    "device",
    source=_SHARDED,
    level="should",
    needs=EIGHT,
    case=_looped(),
    parents=[leaves_are_put_where_the_prefix_says],
)
def rows_on_devices_are_mapped_in_order(lib, case):
    """`associative_scan` runs compiled alone."""
    loop = functools.partial(_LOOPS[case.loop], lib)
    placed, wanted = lib.device_put(case.tree, case.where), loop(as_arrays(case.tree))
    same(loop(placed), wanted)
    same(lib.jit(loop)(placed), wanted)


@law(
    "the derivative of a function by a tree on a mesh of automatic axes is that of one device in "
    "each way to ask for it",
    source=_SHARDED,
    level="should",
    needs=EIGHT,
    case=in_ways(sharded_trees("floats"), _DERIVATIVES),
    parents=[leaves_are_put_where_the_prefix_says],
)
def each_way_gives_the_derivative_on_devices(lib, case):
    found = case.run(halved_squares, lib.device_put(case.tree, case.where))
    same(jtu.tree_map(_strong, found), jtu.tree_map(_strong, as_arrays(case.tree)))


@law(
    "`ravel_pytree` of a tree on a mesh of automatic axes gives the vector of one device, and the "
    "function that makes the tree of it",
    source=_RAVEL,
    level="should",
    needs={*EIGHT, "flatten_util.ravel_pytree"},
    case=sharded_trees("arrays"),
    parents=[leaves_are_put_where_the_prefix_says],
)
def a_vector_on_devices_is_that_of_one(lib, case):
    ravel = lib.flatten_util.ravel_pytree
    vector, back = ravel(lib.device_put(case.tree, case.where))
    same(vector, ravel(as_arrays(case.tree))[0])
    same(back(vector), ravel(as_arrays(case.tree))[1](vector))


def _strong(leaf):
    return leaf.astype(leaf.dtype)
