"""Mutants of what Equinox does with trees on several devices."""

from __future__ import annotations

import jax
import jax.core
import jax.numpy as jnp

from selftest.mutant import mutant

_SHARD = "equinox.shard"
_PMAP = "equinox.pmap"


def _whole(where):
    """Return the first sharding of a prefix, for the whole tree."""
    return [*jax.tree_util.tree_leaves(where), None][0]


@mutant(
    "equinox",
    kills=[
        f"{_SHARD}.arrays_go_where_the_prefix_says",
        f"{_SHARD}.constrained_arrays_go_where_the_prefix_says",
    ],
)
def filter_shard_takes_the_first_sharding(eqx):
    """The first leaf of a prefix stands for the whole tree."""
    return {"filter_shard": lambda tree, where: eqx.filter_shard(tree, _whole(where))}


def _parts(eqx):
    """Return a function that takes the part of the last device for the whole of each array."""

    def part(leaf):
        if not eqx.is_array(leaf) or isinstance(leaf, jax.core.Tracer):
            return leaf
        return jax.device_put(leaf.addressable_shards[-1].data, jax.devices()[0])

    return lambda tree: jax.tree_util.tree_map(part, tree)


@mutant(
    "equinox",
    kills=[
        f"{_SHARD}.each_way_makes_the_call_on_devices",
        f"{_SHARD}.derivatives_on_devices_are_those_of_one",
        f"{_SHARD}.trees_on_devices_are_saved_as_on_one",
        f"{_SHARD}.trees_on_other_devices_are_equal",
        f"{_SHARD}.errors_that_do_not_arise_change_nothing",
        f"{_SHARD}.rows_on_devices_are_mapped",
    ],
)
def filter_shard_keeps_a_part(eqx):
    """Outside of jit, the part of the last device stands for the whole array."""
    parts = _parts(eqx)
    return {"filter_shard": lambda tree, where: parts(eqx.filter_shard(tree, where))}


@mutant(
    "equinox",
    kills=[
        f"{_PMAP}.devices_map_as_one_device_does",
        f"{_PMAP}.collectives_reach_all_devices",
        f"{_PMAP}.unmapped_trees_are_on_every_device",
        f"{_PMAP}.results_on_devices_are_mapped_again",
    ],
)
def filter_pmap_turns_the_devices_around(eqx):
    """The results of the devices come in the wrong order, doubled."""

    def turned(leaf):
        return jnp.flip(leaf + leaf) if eqx.is_inexact_array(leaf) else leaf

    def filter_pmap(function, **options):
        mapped = eqx.filter_pmap(function, **options)
        return lambda *args: jax.tree_util.tree_map(turned, mapped(*args))

    return {"filter_pmap": filter_pmap}
