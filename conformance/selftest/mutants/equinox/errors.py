"""Mutants of `error_if`."""

from __future__ import annotations

import jax
import jax.core
import jax.numpy as jnp

from selftest.mutant import mutant


@mutant(
    "equinox",
    kills=[
        "equinox.errors.gradients_pass_through",
        "equinox.errors.checks_change_no_derivative",
    ],
)
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


@mutant("equinox", kills=["equinox.errors.checks_keep_leaves_of_any_kind"])
def checks_return_arrays_alone(eqx):
    """`error_if` and `branched_error_if` return `None` for leaves that are not arrays."""
    alone = lambda check: lambda *args, **named: eqx.filter(check(*args, **named), eqx.is_array)
    return {name: alone(getattr(eqx, name)) for name in ("error_if", "branched_error_if")}


@mutant("equinox", kills=["equinox.errors.nan_comes_instead"])
def an_error_is_zero(eqx):
    """With `EQX_ON_ERROR=nan`, an error returns zeros."""

    def changed(check):
        def call(tree, *args, on_error="default"):
            got = check(tree, *args, on_error=on_error)
            return jax.tree.map(_not_nan, got) if on_error == "nan" else got

        return call

    return {name: changed(getattr(eqx, name)) for name in ("error_if", "branched_error_if")}


def _not_nan(leaf):
    return jnp.nan_to_num(leaf) if isinstance(leaf, jax.Array) else leaf


@mutant("equinox", kills=["equinox.errors.a_check_of_a_program_runs_with_it"])
def loops_are_not_checked(eqx):
    """`error_if` checks nothing under a transformation inside of `filter_jit`."""

    def error_if(tree, condition, message, **options):
        if isinstance(condition, jax.core.Tracer):
            return tree
        return eqx.error_if(tree, condition, message, **options)

    return {"error_if": error_if}


@mutant("equinox", kills=["equinox.errors.the_largest_index_of_a_batch_chooses_the_message"])
def the_smallest_index_chooses(eqx):
    """`branched_error_if` raises the message of the smallest index of a batch."""

    def branched_error_if(tree, condition, index, messages, **options):
        smallest = -eqx.internal.unvmap_max(-jnp.asarray(index))
        return eqx.branched_error_if(tree, condition, smallest, messages, **options)

    return {"branched_error_if": branched_error_if}


@mutant("equinox", kills=["equinox.errors.each_value_of_the_variable_lets_a_sound_program_run"])
def checks_of_traced_trees_return_zeros(eqx):
    """`error_if` and `branched_error_if` return zeros in the place of traced arrays."""

    def traced(leaf):
        return jnp.zeros_like(leaf) if isinstance(leaf, jax.core.Tracer) else leaf

    def changed(check):
        return lambda tree, *args, **named: jax.tree.map(traced, check(tree, *args, **named))

    return {name: changed(getattr(eqx, name)) for name in ("error_if", "branched_error_if")}
