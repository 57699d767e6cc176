"""Mutants of what puts trees on several devices and computes there."""

from __future__ import annotations

from selftest.mutant import mutant

_SHARDING = "jax.sharding"


def _first(jax, where):
    """Return the first sharding of a prefix."""
    return [*jax.tree_util.tree_leaves(where), None][0]


@mutant("jax", kills=[f"{_SHARDING}.leaves_are_put_where_the_prefix_says"])
def device_put_takes_the_first_sharding(jax):
    """`device_put` puts each leaf where the first leaf of the prefix says."""

    def device_put(x, device=None, **options):
        return jax.device_put(x, _first(jax, device), **options)

    return {"device_put": device_put}


@mutant("jax", kills=[f"{_SHARDING}.a_device_holds_the_whole_tree"])
def device_put_takes_another_device(jax):
    """`device_put` takes the first device in the place of any other."""

    def device_put(x, device=None, **options):
        other = jax.devices()[0] if isinstance(device, jax.Device) else device
        return jax.device_put(x, other, **options)

    return {"device_put": device_put}


@mutant("jax", kills=[f"{_SHARDING}.without_a_device_a_tree_stays"])
def device_put_moves_to_the_default_device(jax):
    """Without a device, `device_put` moves a tree to the first one."""

    def device_put(x, device=None, **options):
        return jax.device_put(x, jax.devices()[0] if device is None else device, **options)

    return {"device_put": device_put}


@mutant("jax", kills=[f"{_SHARDING}.a_moved_tree_is_the_same"])
def device_put_with_options_stays(jax):
    """With options, `device_put` moves nothing."""

    def device_put(x, device=None, **options):
        return jax.device_put(x) if options else jax.device_put(x, device)

    return {"device_put": device_put}


@mutant("jax", kills=[f"{_SHARDING}.device_get_gathers_the_parts"])
def device_get_takes_one_part(jax):
    """`device_get` gives the part of the last device."""

    def part(leaf):
        whole = not isinstance(leaf, jax.Array)
        return jax.device_get(leaf if whole else leaf.addressable_shards[-1].data)

    return {"device_get": lambda tree: jax.tree_util.tree_map(part, tree)}


@mutant(
    "jax",
    kills=[
        f"{_SHARDING}.compiled_functions_take_prefixes",
        f"{_SHARDING}.none_leaves_the_sharding_open",
    ],
)
def jit_replicates_results(jax):
    """`jit` puts each result where the first sharding of the prefix says."""

    def jit(function, *, out_shardings=None, **options):
        where = _first(jax, out_shardings)
        return jax.jit(function, out_shardings=where, **options)

    return {"jit": jit}


@mutant("jax", kills=[f"{_SHARDING}.computation_follows_the_data"])
def jit_sees_one_part(jax):
    """A compiled function takes the part of the last device for the whole array."""

    def part(leaf):
        shards = leaf.addressable_shards
        return jax.device_put(shards[-1].data, jax.devices()[0]) if len(shards) > 1 else leaf

    def jit(function, **options):
        compiled = jax.jit(function, **options)
        return lambda tree: compiled(jax.tree_util.tree_map(part, tree))

    return {"jit": jit}


@mutant("jax", kills=[f"{_SHARDING}.constraints_take_prefixes"])
def constraints_take_the_first_sharding(jax):
    """`with_sharding_constraint` takes the first leaf of a prefix for the whole tree."""
    constrain = jax.lax.with_sharding_constraint
    return {"lax.with_sharding_constraint": lambda tree, where: constrain(tree, _first(jax, where))}


@mutant("jax", kills=[f"{_SHARDING}.shapes_with_shardings_stand_for_the_tree"])
def shapes_have_no_shardings(jax):
    """`ShapeDtypeStruct` forgets the sharding."""

    def struct(shape, dtype, *, sharding=None, **options):
        return jax.ShapeDtypeStruct(shape, dtype, **options)

    return {"ShapeDtypeStruct": struct}


@mutant(
    "jax",
    kills=[
        f"{_SHARDING}.each_way_makes_the_call_on_devices",
        f"{_SHARDING}.each_way_gives_the_derivative_on_devices",
        f"{_SHARDING}.a_vector_on_devices_is_that_of_one",
        f"{_SHARDING}.rows_on_devices_are_mapped_in_order",
    ],
)
def trees_lose_a_leaf_on_devices(jax):
    """`device_put` doubles what it puts on a mesh."""

    def device_put(x, device=None, **options):
        put = jax.device_put(x, device, **options)
        return jax.tree_util.tree_map(lambda leaf: (leaf + leaf + 1).astype(leaf.dtype), put)

    return {"device_put": device_put}


def _mapping(jax, change):
    """Patch `shard_map`, where a release has it: `change(function)` wraps what it maps."""
    if not hasattr(jax, "shard_map"):
        return {}
    return {"shard_map": lambda function, **options: jax.shard_map(change(function), **options)}


@mutant(
    "jax",
    kills=[
        f"{_SHARDING}.parts_are_mapped_and_joined",
        f"{_SHARDING}.some_axes_are_mapped_over",
    ],
)
def parts_are_turned_around(jax):
    """Each part of a tree in `shard_map` is turned around."""

    def turned(tree):
        return jax.tree_util.tree_map(lambda leaf: leaf[::-1] if leaf.ndim else leaf, tree)

    return _mapping(jax, lambda function: lambda tree: turned(function(tree)))


@mutant(
    "jax",
    kills=[
        f"{_SHARDING}.collectives_combine_the_parts_of_a_tree",
        f"{_SHARDING}.each_part_has_its_derivative",
    ],
)
def parts_count_twice(jax):
    """The results of the parts in `shard_map` are doubled."""

    def doubled(tree):
        return jax.tree_util.tree_map(lambda leaf: leaf + leaf, tree)

    return _mapping(jax, lambda function: lambda tree: doubled(function(tree)))


@mutant("jax", kills=["jax.sharding.the_mesh_of_the_context_is_used_each_time"])
def the_mesh_of_the_context_is_not_used(jax):
    """`shard_map`, `smap` and `jit` leave the arrays on one device."""

    def unchanged(function=None, **options):
        return (lambda function: function) if function is None else function

    return {"shard_map": unchanged, "smap": unchanged, "jit": unchanged}


@mutant("jax", kills=[f"{_SHARDING}.programs_take_arrays_of_any_size"])
def jit_fills_empty_arrays(jax):
    """`jit` gives an array with an entry for one without."""
    filled = lambda leaf: leaf if leaf.size else jax.numpy.zeros(1, leaf.dtype)

    def jit(function, **options):
        call = jax.jit(function, **options)
        return lambda *args: jax.tree_util.tree_map(filled, call(*args))

    return {"jit": jit}


@mutant("jax", kills=[f"{_SHARDING}.placed_arrays_are_committed"])
def constraints_outside_of_jit_do_nothing(jax):
    """`with_sharding_constraint` gives back what it gets, outside of `jit`."""
    constrain = jax.lax.with_sharding_constraint

    def called(tree, where):
        leaves = jax.tree_util.tree_leaves(tree)
        traced = any(isinstance(leaf, jax.core.Tracer) for leaf in leaves)
        return constrain(tree, where) if traced else tree

    return {"lax.with_sharding_constraint": called}


@mutant("jax", kills=[f"{_SHARDING}.smap_maps_the_parts_along_an_axis"])
def smap_splits_along_the_first_axis(jax):
    """`smap` splits each array along the first axis, whatever `in_axes` says."""

    def smap(function, *, in_axes, **options):
        first = lambda axis: None if axis is None else 0
        split = tuple(map(first, in_axes)) if isinstance(in_axes, tuple) else first(in_axes)
        return jax.smap(function, in_axes=split, **options)

    return {"smap": smap}
