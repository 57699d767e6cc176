"""Mutants of what Flax puts on chosen devices."""

from __future__ import annotations

import jax

from selftest.mutant import mutant

_UTILS = "flax.jax_utils"


@mutant("flax", kills=[f"{_UTILS}.replicas_are_on_the_devices"])
def replicas_come_in_another_order(flax):
    """`replicate` turns the devices around."""
    replicate = flax.jax_utils.replicate
    return {"jax_utils.replicate": lambda tree, devices: replicate(tree, devices[::-1])}


@mutant("flax", kills=[f"{_UTILS}.items_come_from_the_devices"])
def prefetch_takes_other_devices(flax):
    """`prefetch_to_device` uses the default devices."""

    def prefetch_to_device(iterator, size, devices=None):
        for item in iterator:
            yield jax.device_put(item, jax.devices()[0])

    return {"jax_utils.prefetch_to_device": prefetch_to_device}


@mutant("flax", kills=[f"{_UTILS}.padded_batches_go_to_all_devices"])
def padding_stays(flax):
    """`pad_shard_unpad` does not give the last row back."""
    wrap = flax.jax_utils.pad_shard_unpad

    def pad_shard_unpad(function, **options):
        padded = wrap(function, **options)
        return lambda *args, **named: padded(*args, **named)[:-1]

    return {"jax_utils.pad_shard_unpad": pad_shard_unpad}
