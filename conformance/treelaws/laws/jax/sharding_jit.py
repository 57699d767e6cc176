"""JAX: compiled functions of trees on meshes of automatic axes compute what they do on one device.

With explicit axes, JAX asks for the sharding of a result that does not follow from its input.
"""

from __future__ import annotations

import re

from hypothesis_pytrees.trees.ways import in_ways
from hypothesis_pytrees.trees.ways_calls import CALLS
from treelaws.equality import same
from treelaws.laws._sharded import as_arrays, on_devices, sharded_trees, turned

from .sharding import EIGHT, law, leaves_are_put_where_the_prefix_says

_JIT = "https://docs.jax.dev/en/latest/_autosummary/jax.jit.html"
_CONSTRAINT = "https://docs.jax.dev/en/latest/_autosummary/jax.lax.with_sharding_constraint.html"
_SHARDED = "https://docs.jax.dev/en/latest/201/sharding.html"
_STRUCT = "https://docs.jax.dev/en/latest/_autosummary/jax.ShapeDtypeStruct.html"
# Ways that do not say themselves on which devices they compute; shapes alone mean the first one.
_CALLS = tuple(
    way
    for way in CALLS
    if not re.search(r"devices\(|pmap|eval_shape", f"{way.template} {way.definitions}")
)
_TWO = ("where", "other")


@law(
    "a function from `jit` with tree prefixes of shardings as `in_shardings` and `out_shardings` "
    "gives the result of one device, where `out_shardings` say",
    source=_JIT,
    needs={*EIGHT, "jit"},
    case=sharded_trees(names=_TWO),
    parents=[leaves_are_put_where_the_prefix_says],
)
def compiled_functions_take_prefixes(lib, case):
    compiled = lib.jit(turned, in_shardings=(case.where,), out_shardings=case.other)
    for tree in (case.tree, lib.device_put(case.tree, case.where)):
        found = compiled(tree)
        same(found, turned(case.tree))
        on_devices(found, case.other)


@law(
    "`None` in `out_shardings` leaves the sharding of the result open",
    source=_JIT,
    level="observed",
    needs={*EIGHT, "jit"},
    case=sharded_trees("keyed", none=True),
    parents=[compiled_functions_take_prefixes],
)
def none_leaves_the_sharding_open(lib, case):
    """The documentation of `pjit` said what `None` means; that of `jit` does not name it."""
    found = lib.jit(turned, in_shardings=(case.where,), out_shardings=case.where)(case.tree)
    same(found, turned(case.tree))
    on_devices(found, case.where)


@law(
    "a function from `jit` of a tree on a mesh of automatic axes gives the result of one device",
    source=_SHARDED,
    needs={*EIGHT, "jit"},
    case=sharded_trees(),
    parents=[leaves_are_put_where_the_prefix_says],
)
def computation_follows_the_data(lib, case):
    placed = lib.device_put(case.tree, case.where)
    for found in (turned(placed), lib.jit(turned)(placed)):
        same(found, turned(case.tree))
        on_devices(found, None)


@law(
    "within `jit`, `with_sharding_constraint` with a tree prefix of shardings on automatic axes "
    "changes no value, and a result has its sharding",
    source=_CONSTRAINT,
    level="should",
    needs={*EIGHT, "lax.with_sharding_constraint"},
    # The compiler puts a result without entries on each device.
    case=sharded_trees("keyed", names=_TWO),
    parents=[computation_follows_the_data],
)
def constraints_take_prefixes(lib, case):
    constrain = lib.lax.with_sharding_constraint
    placed = lib.device_put(case.tree, case.where)
    for found in (
        lib.jit(lambda tree: constrain(turned(tree), case.other))(placed),
        lib.jit(lambda tree: constrain(turned(constrain(tree, case.where)), case.other))(placed),
        constrain(turned(placed), case.other),
    ):
        same(found, turned(case.tree))
        on_devices(found, case.other)


@law(
    "a function that was compiled for shapes with shardings takes a tree that has them",
    source=_STRUCT,
    level="should",
    needs={*EIGHT, "ShapeDtypeStruct"},
    case=sharded_trees(),
    parents=[computation_follows_the_data],
)
def shapes_with_shardings_stand_for_the_tree(lib, case):
    placed = lib.device_put(case.tree, case.where)
    compiled = lib.jit(turned).lower(lib.tree_util.tree_map(_struct(lib), placed)).compile()
    same(compiled(placed), turned(case.tree))


@law(
    "a function of a tree on a mesh of automatic axes has the result of one device in each "
    "transformation, loop, callback, context and thread",
    source=_SHARDED,
    level="should",
    needs=EIGHT,
    case=in_ways(sharded_trees("arrays"), _CALLS),
    parents=[computation_follows_the_data],
)
def each_way_makes_the_call_on_devices(lib, case):
    placed = lib.device_put(case.tree, case.where)
    found = lib.tree_util.tree_map(_strong, case.run(turned, placed))
    same(found, lib.tree_util.tree_map(_strong, turned(as_arrays(case.tree))))


def _struct(lib):
    # Random keys have no weak types.
    weak = lambda leaf: getattr(leaf, "weak_type", False)
    return lambda leaf: lib.ShapeDtypeStruct(
        leaf.shape, leaf.dtype, sharding=leaf.sharding, weak_type=weak(leaf)
    )


def _strong(leaf):
    """Return the leaf without a weak type, of which nothing is promised."""
    return leaf.astype(leaf.dtype)
