"""Mutants of layers on meshes of explicit axes."""

from __future__ import annotations

import jax

from selftest.mutant import mutant


@mutant("nnx", kills=["nnx.layers.dropout_follows_the_sharding_of_its_input"])
def dropout_gathers_its_result(nnx):
    """`Dropout` puts its result on every device of the mesh."""

    class Dropout(nnx.Dropout):
        def __call__(self, inputs, **options):
            result = super().__call__(inputs, **options)
            return jax.sharding.reshard(result, jax.sharding.PartitionSpec())

    return {"Dropout": Dropout}
