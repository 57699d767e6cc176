"""Mutants of options that JAX is to get."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("equinox", kills=["equinox.trace.options_reach_the_program"])
def checkpoint_forgets_the_policy(eqx):
    """`filter_checkpoint` saves nothing, whatever the policy says."""

    def filter_checkpoint(fun, *, policy=None, **options):
        return eqx.filter_checkpoint(fun, **options)

    return {"filter_checkpoint": filter_checkpoint}
