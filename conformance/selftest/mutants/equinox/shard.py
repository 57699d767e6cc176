"""A mutant of Equinox' `filter_shard`, which places nothing."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from selftest.mutant import mutant


@mutant(
    "equinox",
    kills=["equinox.shard.placed_arrays_are_committed", "equinox.shard.arrays_move_from_anywhere"],
)
def filter_shard_places_nothing(eqx):
    """Arrays stay where they are."""

    def of_jax(leaf):
        return jnp.asarray(leaf) if eqx.is_array(leaf) else leaf

    return {"filter_shard": lambda tree, where: jax.tree_util.tree_map(of_jax, tree)}
