"""Mutants of a transform of Flax NNX inside another."""

from __future__ import annotations

from selftest.mutant import mutant

from ._copies import on_copies

_ID = "nnx.transforms."


@mutant(
    "nnx",
    kills=[
        _ID + "each_pair_of_ways_runs_the_program",
        _ID + "transforms_take_transformed_functions",
    ],
)
def remat_in_a_pair_works_on_copies(nnx):
    """What a function changes under `remat` does not come out."""
    return {"remat": on_copies(nnx, nnx.remat)}


@mutant("nnx", kills=[_ID + "each_loop_of_a_way_has_the_effect"])
def jit_in_a_loop_works_on_copies(nnx):
    """What a function changes under `jit` does not come out."""
    return {"jit": on_copies(nnx, nnx.jit)}
