"""Mutants that lose an option on its way to JAX."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("equinox", kills=["equinox.trace.options_of_checkpoint_reach_jax"])
def checkpoint_forgets_the_policy(eqx):
    """`filter_checkpoint` saves nothing, whatever the policy says."""

    def filter_checkpoint(fun, *, policy=None, **options):
        return eqx.filter_checkpoint(fun, **options)

    return {"filter_checkpoint": filter_checkpoint}
