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


@mutant(
    "optax",
    kills=[
        "optax.microbatching.rows_after_the_real_microbatches_do_not_count",
        "optax.microbatching.examples_after_the_real_microbatches_do_not_count",
    ],
)
def all_microbatches_are_real(optax):
    """`micro_vmap` and `micro_grad` ignore `num_real_microbatches`."""

    def micro_vmap(*args, num_real_microbatches=None, **options):
        return optax.microbatching.micro_vmap(*args, **options)

    def micro_grad(*args, num_real_microbatches=None, **options):
        return optax.microbatching.micro_grad(*args, **options)

    return {"microbatching.micro_vmap": micro_vmap, "microbatching.micro_grad": micro_grad}


@mutant("optax", kills=["optax.microbatching.a_map_may_name_its_axis"])
def the_map_is_that_of_jax(optax):
    """`micro_vmap` ignores `vmap_fn`."""

    def micro_vmap(*args, vmap_fn=None, **options):
        return optax.microbatching.micro_vmap(*args, **options)

    return {"microbatching.micro_vmap": micro_vmap}


@mutant("optax", kills=["optax.microbatching.other_out_axes_are_refused"])
def out_axes_are_ignored(optax):
    """`micro_vmap` ignores `out_axes`."""

    def micro_vmap(fun, in_axes=0, out_axes=0, **options):
        return optax.microbatching.micro_vmap(fun, in_axes, **options)

    return {"microbatching.micro_vmap": micro_vmap}


@mutant("optax", kills=["optax.microbatching.gradients_of_examples_are_accumulated"])
def each_example_has_an_axis(optax):
    """`micro_grad` ignores `keep_batch_dim`."""

    def micro_grad(*args, keep_batch_dim=True, **options):
        return optax.microbatching.micro_grad(*args, **options)

    return {"microbatching.micro_grad": micro_grad}
