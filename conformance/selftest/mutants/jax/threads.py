"""Mutants of JAX that share between threads what belongs to a call."""

from __future__ import annotations

import contextlib
import time

from selftest.mutant import mutant

from .._one_place import (
    PAUSE,
    made_while_others_call,
    one_place_for_arguments,
    one_place_for_the_function,
)

_ID = "jax.threads."


@mutant("jax", kills=[_ID + "trees_are_used_by_threads", _ID + "one_tree_is_used_by_threads"])
def map_has_one_place_for_arguments(jax):
    """`tree_map` keeps its arguments where each call keeps them."""
    return {"tree_util.tree_map": one_place_for_arguments(jax.tree_util.tree_map)}


@mutant("jax", kills=[_ID + "functions_are_transformed_by_threads"])
def jit_has_one_place_for_the_function(jax):
    """`jit` keeps the function that it traces where each call keeps it."""
    return {"jit": one_place_for_the_function(jax.jit)}


@mutant("jax", kills=[_ID + "one_function_is_called_by_threads"])
def jit_compiles_while_others_call(jax):
    """A function that `jit` returns says that it is compiled before it is."""
    return {"jit": made_while_others_call(jax.jit)}


@mutant("jax", kills=[_ID + "settings_are_those_of_a_thread"])
def precision_is_that_of_the_process(jax):
    """`default_matmul_precision` has an effect on all threads."""

    @contextlib.contextmanager
    def default_matmul_precision(value):
        before = jax.config.jax_default_matmul_precision
        jax.config.update("jax_default_matmul_precision", value)
        time.sleep(PAUSE)
        try:
            yield
        finally:
            jax.config.update("jax_default_matmul_precision", before)

    return {"default_matmul_precision": default_matmul_precision}


@mutant("jax", kills=[_ID + "one_function_takes_the_nodes_of_threads"])
def jit_returns_its_first_result(jax):
    """A function that `jit` returns gives its first result to each later call."""

    def jit(function, **options):
        found = []

        def first(*args, **kwargs):
            if not found:
                found.append(jax.jit(function, **options)(*args, **kwargs))
            return found[0]

        return first

    return {"jit": jit}
