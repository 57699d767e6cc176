"""Mutants of what Flax does for all devices of a process."""

from __future__ import annotations

import copy

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant

_ID = "flax.jax_utils."
_UTILS = "training.common_utils"


@mutant("flax", kills=[_ID + "shards_are_the_rows_in_order"])
def rows_take_turns(flax):
    """`shard` gives each device every eighth row."""

    def shard(tree):
        count = jax.local_device_count()
        split = lambda leaf: leaf.reshape((-1, count, *leaf.shape[1:])).swapaxes(0, 1)
        return jtu.tree_map(split, tree)

    return {f"{_UTILS}.shard": shard}


@mutant("flax", kills=[_ID + "devices_have_their_own_keys"])
def devices_share_a_key(flax):
    """`shard_prng_key` gives each device the key itself."""
    count = jax.local_device_count()
    return {f"{_UTILS}.shard_prng_key": lambda key: jnp.stack([key] * count)}


@mutant("flax", kills=[_ID + "metrics_are_stacked_over_time"])
def metrics_keep_all_replicas(flax):
    """`get_metrics` gives the metrics of each device."""

    def get_metrics(metrics):
        return flax.training.common_utils.stack_forest(jax.device_get(metrics))

    return {f"{_UTILS}.get_metrics": get_metrics}


@mutant("flax", kills=[_ID + "metrics_are_on_the_host"])
def metrics_return_to_a_device(flax):
    """`get_metrics` puts its results on a device."""
    real = flax.training.common_utils.get_metrics
    return {f"{_UTILS}.get_metrics": lambda metrics: jtu.tree_map(jnp.asarray, real(metrics))}


@mutant(
    "flax",
    kills=[
        _ID + "static_arguments_are_not_padded",
        _ID + "static_results_are_returned_as_they_are",
    ],
)
def static_values_are_copied(flax):
    """`pad_shard_unpad` copies what it does not pad."""
    real = flax.jax_utils.pad_shard_unpad

    def pad_shard_unpad(wrapped, **options):
        def called(*args, **named):
            args, named = copy.deepcopy((args, named))
            return wrapped(*args, **named)

        padded = real(called, **options)
        return lambda *args, **named: copy.copy(padded(*args, **named))

    return {"jax_utils.pad_shard_unpad": pad_shard_unpad}


@mutant("flax", kills=[_ID + "axes_of_replicas_have_the_name"])
def axes_have_their_own_name(flax):
    """`replicate` ignores the name of the axis."""
    replicate = flax.jax_utils.replicate
    ignoring = lambda tree, devices=None, axis_name="": replicate(tree, devices)
    return {"jax_utils.replicate": ignoring}
