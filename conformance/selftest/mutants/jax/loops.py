"""Mutants of the loops of JAX."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("jax", kills=["jax.loops.loops_give_the_same_without_jit"])
def scan_without_jit_goes_forward(jax):
    """`scan` goes forward without compilation, also if `reverse` is given."""

    def scan(step, start, rows, reverse=False, **options):
        reverse = reverse and not jax.config.jax_disable_jit
        return jax.lax.scan(step, start, rows, reverse=reverse, **options)

    return {"lax.scan": scan}
