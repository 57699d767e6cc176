"""Mutants of JAX that share between threads what belongs to a call."""

from __future__ import annotations

import contextlib
import functools
import time

from selftest.mutant import mutant

_ID = "jax.threads."
# Seconds in which another thread comes in between: on a busy machine, a race may be rare.
_PAUSE = 0.002


@mutant("jax", kills=[_ID + "trees_are_used_by_threads", _ID + "one_tree_is_used_by_threads"])
def map_has_one_list_of_results(jax):
    """`tree_map` collects the results of each call in one list."""
    results = []

    def tree_map(function, tree, *rest, is_leaf=None):
        leaves, treedef = jax.tree_util.tree_flatten(tree, is_leaf)
        columns = [leaves, *(treedef.flatten_up_to(other) for other in rest)]
        results.clear()
        time.sleep(_PAUSE)
        results.extend(function(*row) for row in zip(*columns, strict=True))
        return treedef.unflatten(results)

    return {"tree_util.tree_map": tree_map}


@mutant("jax", kills=[_ID + "functions_are_transformed_by_threads"])
def jit_has_one_place_for_the_function(jax):
    """`jit` keeps the function that it traces where each call keeps it."""
    held = {}

    def jit(function, **options):
        @functools.wraps(function)
        def traced(*args, **kwargs):
            return held["function"](*args, **kwargs)

        made = jax.jit(traced, **options)

        @functools.wraps(function)
        def called(*args, **kwargs):
            held["function"] = function
            time.sleep(_PAUSE)
            return made(*args, **kwargs)

        return called

    return {"jit": jit}


@mutant("jax", kills=[_ID + "one_function_is_called_by_threads"])
def jit_compiles_while_others_call(jax):
    """A function that `jit` returns says that it is compiled before it is."""

    def jit(function, **options):
        compiled = {}

        @functools.wraps(function)
        def called(*args, **kwargs):
            if "started" not in compiled:
                compiled["started"] = True
                time.sleep(_PAUSE)
                compiled["function"] = jax.jit(function, **options)
            return compiled["function"](*args, **kwargs)

        return called

    return {"jit": jit}


@mutant("jax", kills=[_ID + "settings_are_those_of_a_thread"])
def precision_is_that_of_the_process(jax):
    """`default_matmul_precision` has an effect on all threads."""

    @contextlib.contextmanager
    def default_matmul_precision(value):
        before = jax.config.jax_default_matmul_precision
        jax.config.update("jax_default_matmul_precision", value)
        time.sleep(_PAUSE)
        try:
            yield
        finally:
            jax.config.update("jax_default_matmul_precision", before)

    return {"default_matmul_precision": default_matmul_precision}
