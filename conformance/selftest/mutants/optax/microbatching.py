"""Mutants of functions of microbatches."""

from __future__ import annotations

import jax.tree_util as jtu

from selftest.mutant import mutant


@mutant("optax", kills=["optax.microbatching.a_batch_may_have_no_rows"])
def sums_begin_at_one(optax):
    """`microbatch` begins each sum at one for a batch without rows."""

    def microbatch(fun, *args, **options):
        real = optax.microbatch(fun, *args, **options)

        def function(batch):
            begun = any(leaf.size == 0 for leaf in jtu.tree_leaves(batch))
            return jtu.tree_map(lambda leaf: leaf + begun, real(batch))

        return function

    return {"microbatch": microbatch}


@mutant("optax", kills=["optax.microbatching.a_batch_is_given_by_position_or_by_name"])
def arguments_by_name_count_twice(optax):
    """`microbatch` doubles the sum if an argument without rows is passed by name."""

    def microbatch(fun, *args, **options):
        real = optax.microbatch(fun, *args, **options)

        def function(*given, **named):
            factor = 2 if "weights" in named else 1
            return jtu.tree_map(lambda leaf: leaf * factor, real(*given, **named))

        return function

    return {"microbatch": microbatch}
