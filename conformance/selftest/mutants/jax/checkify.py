"""Mutants of functions that are checked at run time."""

from __future__ import annotations

import importlib

from selftest.mutant import mutant

_ID = "jax.checkify."


@mutant("jax", kills=[_ID + "indices_out_of_bounds_are_reported"])
def checkify_checks_no_indices(jax):
    """`checkify` checks no indices."""
    real = importlib.import_module("jax.experimental.checkify")

    def checkify(function, errors=real.user_checks):
        return real.checkify(function, errors=errors - real.index_checks)

    return {"experimental.checkify.checkify": checkify}


@mutant("jax", kills=[_ID + "checked_functions_take_the_trees_of_the_function"])
def checkify_gives_a_list_of_leaves(jax):
    """A function of `checkify` gives the leaves of the result."""
    real = importlib.import_module("jax.experimental.checkify")

    def checkify(function, **options):
        def call(*args):
            error, found = real.checkify(function, **options)(*args)
            return error, jax.tree_util.tree_leaves(found)

        return call

    return {"experimental.checkify.checkify": checkify}
