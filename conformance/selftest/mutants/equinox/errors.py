"""Mutants of `error_if`."""

from __future__ import annotations

import jax

from selftest.mutant import mutant


@mutant("equinox", kills=["equinox.errors.gradients_pass_through"])
def error_if_stops_gradients(eqx):
    """`error_if` returns its argument without the derivatives."""

    def error_if(tree, *args, **options):
        arrays, rest = eqx.partition(eqx.error_if(tree, *args, **options), eqx.is_array)
        return eqx.combine(jax.lax.stop_gradient(arrays), rest)

    return {"error_if": error_if}
