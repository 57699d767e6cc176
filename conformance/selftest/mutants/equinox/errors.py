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


@mutant("equinox", kills=["equinox.errors.each_call_is_checked"])
def the_first_error_is_the_last(eqx):
    """`error_if` in a compiled function raises no error after its first one."""
    raised = []

    def filter_jit(function):
        compiled = eqx.filter_jit(function)

        def call(*args):
            if raised:
                return args[0]
            try:
                return jax.block_until_ready(compiled(*args))
            except RuntimeError:
                raised.append(True)
                raise

        return call

    return {"filter_jit": filter_jit}
