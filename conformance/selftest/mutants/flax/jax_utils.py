"""Mutants of `flax.jax_utils` and `flax.training.common_utils`."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant

_ID = "flax.jax_utils."


@mutant("flax", kills=[_ID + "scans_go_along_the_axes"])
def axes_are_reversed(flax):
    """`scan_in_dim` begins with the last axis."""

    def scan_in_dim(body, init, xs, axis=(0,), **options):
        axes = axis[::-1] if isinstance(axis, tuple) else axis
        return flax.jax_utils.scan_in_dim(body, init, xs, axis=axes, **options)

    return {"jax_utils.scan_in_dim": scan_in_dim}


@mutant("flax", kills=[_ID + "replicas_are_copies"])
def replicas_have_no_axis(flax):
    """`replicate` puts the arrays on a device without an axis for the devices."""
    return {"jax_utils.replicate": lambda tree: jtu.tree_map(jnp.asarray, tree)}


@mutant("flax", kills=[_ID + "padding_changes_no_result"])
def results_stay_padded(flax):
    """`pad_shard_unpad` takes no rows off the results if it is told the least size."""

    def pad_shard_unpad(wrapped):
        padded = flax.jax_utils.pad_shard_unpad(wrapped)

        def call(*args, min_device_batch=None, **options):
            results = padded(*args, min_device_batch=min_device_batch, **options)
            if not min_device_batch:
                return results
            return jtu.tree_map(lambda leaf: jnp.concatenate([leaf, leaf]), results)

        return call

    return {"jax_utils.pad_shard_unpad": pad_shard_unpad}


@mutant("flax", kills=[_ID + "forests_are_stacked"])
def forests_are_stacked_backwards(flax):
    """`stack_forest` stacks the last tree first."""
    real = flax.training.common_utils.stack_forest
    return {"training.common_utils.stack_forest": lambda forest: real(forest[::-1])}


@mutant("flax", kills=[_ID + "one_place_of_a_row_is_on"])
def places_are_off_by_one(flax):
    """`onehot` counts the places from one."""
    onehot = flax.training.common_utils.onehot
    wrapped = lambda labels, size, **options: onehot(labels - 1, size, **options)
    return {"training.common_utils.onehot": wrapped}
