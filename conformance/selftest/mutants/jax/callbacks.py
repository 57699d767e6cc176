"""Mutants of JAX's callbacks."""

from __future__ import annotations

import importlib

from selftest.mutant import mutant


@mutant("jax", kills=["jax.callbacks.callbacks_return_trees_of_any_dtype"])
def callbacks_turn_vectors_around(jax):
    """`pure_callback` gives each array with its entries turned around."""

    def pure_callback(function, shapes, *args, **options):
        found = jax.pure_callback(function, shapes, *args, **options)
        return jax.tree_util.tree_map(jax.numpy.flip, found)

    return {"pure_callback": pure_callback}


@mutant("jax", kills=["jax.callbacks.mapped_callbacks_give_what_the_function_gives"])
def callbacks_of_a_batch_turn_it_around(jax):
    """`pure_callback` gives the rows of a batch in reverse order."""

    def pure_callback(function, shapes, *args, **options):
        ranks = [one.ndim for one in jax.tree_util.tree_leaves(shapes)]

        def called(*given, **named):
            leaves, structure = jax.tree_util.tree_flatten(function(*given, **named))
            pairs = zip(leaves, ranks, strict=True)
            return structure.unflatten(
                [one[::-1] if one.ndim > rank else one for one, rank in pairs]
            )

        return jax.pure_callback(called, shapes, *args, **options)

    return {"pure_callback": pure_callback}


@mutant("jax", kills=["jax.callbacks.ordered_callbacks_are_called_in_order"])
def ordered_callbacks_are_called_again(jax):
    """`io_callback` calls its function once more, and gives what it gives first."""
    real = importlib.import_module("jax.experimental").io_callback

    def io_callback(function, shapes, *args, **options):
        return real(
            lambda *given: (function(*given), function(*given))[0], shapes, *args, **options
        )

    return {"experimental.io_callback": io_callback}


@mutant("jax", kills=["jax.callbacks.ordered_callbacks_are_not_mapped"])
def io_callback_has_no_order(jax):
    """`io_callback` takes no notice of `ordered`."""
    real = importlib.import_module("jax.experimental").io_callback

    def io_callback(function, shapes, *args, ordered=False):
        return real(function, shapes, *args)

    return {"experimental.io_callback": io_callback}
