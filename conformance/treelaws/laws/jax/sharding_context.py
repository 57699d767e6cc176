"""JAX: functions that take the mesh of the context, again in each context."""

from __future__ import annotations

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.ways import way
from hypothesis_pytrees.trees.positions import bind_tree, names_of
from treelaws.equality import equal, same
from treelaws.laws._sharded import arrays_of

from .sharding import law

_SPEC = "jax.sharding.PartitionSpec('rows')"
# Each gives the leaves of a tree in parts along the mesh of the context.
_WAYS = (
    way("shard-map", f"jax.shard_map(lambda tree: tree, in_specs={_SPEC}, out_specs={_SPEC})"),
    way(
        "shard-map-decorator",
        f"jax.shard_map(in_specs={_SPEC}, out_specs={_SPEC})(lambda tree: tree)",
    ),
    way(
        "shard-map-names",
        f"jax.shard_map(lambda tree: tree, in_specs={_SPEC}, out_specs={_SPEC}, "
        "axis_names={'rows'})",
    ),
    way(
        "jit-of-shard-map",
        f"jax.jit(jax.shard_map(lambda tree: tree, in_specs={_SPEC}, out_specs={_SPEC}))",
    ),
    way("smap", "jax.smap(lambda tree: tree, in_axes=0, out_axes=0, axis_name='rows')"),
    way("jit", f"jax.jit(lambda tree: tree, out_shardings={_SPEC})"),
    way(
        "constraint",
        f"jax.jit(lambda tree: jax.lax.with_sharding_constraint(tree, {_SPEC}))",
    ),
)


@st.composite
def _contexts(draw: st.DrawFn) -> Recipe:
    """Bind `tree`, of arrays with eight rows, `sizes` of meshes, and `call`.

    Feature: `meshes:several` if the sizes differ.
    """
    scope = Scope()
    bind_tree(draw, scope, arrays_of("rows"))
    if not jtu.tree_leaves(names_of(scope)["tree"]):
        scope.rebind("tree", "(tree, jax.device_put(np.arange(8)))")
    drawn = draw(st.sampled_from(available(_WAYS)))
    scope.note(*drawn.features)
    sizes = draw(st.lists(st.sampled_from((2, 4, 8)), min_size=1, max_size=3))
    scope.note(*(["meshes:several"] if len(set(sizes)) > 1 else []))
    scope.bind("sizes", repr(sizes))
    scope.bind("call", drawn.template)
    return scope.recipe()


@law(
    "a function without a mesh takes that of the context in which it is called, each time anew",
    source="https://docs.jax.dev/en/latest/_autosummary/jax.shard_map.html",
    needs={"eight_devices", "shard_map", "set_mesh"},
    level="should",
    case=_contexts(),
)
def the_mesh_of_the_context_is_used_each_time(lib, case):
    for size in case.sizes:
        with lib.set_mesh(_mesh(lib, size)):
            found = case.call(case.tree)
        same(lib.device_get(found), lib.device_get(case.tree))
        leaves = jtu.tree_leaves(found)
        equal([len(leaf.sharding.device_set) for leaf in leaves], [size] * len(leaves))


def _mesh(lib, size):
    """Return a mesh of the first devices with one axis, which the compiler may divide by."""
    kinds = (lib.sharding.AxisType.Auto,)
    return lib.make_mesh((size,), ("rows",), axis_types=kinds, devices=lib.devices()[:size])
