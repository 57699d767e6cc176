"""Mutants of JAX's callbacks."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("jax", kills=["jax.callbacks.callbacks_return_trees_of_any_dtype"])
def callbacks_turn_vectors_around(jax):
    """`pure_callback` gives each array with its entries turned around."""

    def pure_callback(function, shapes, *args, **options):
        found = jax.pure_callback(function, shapes, *args, **options)
        return jax.tree_util.tree_map(jax.numpy.flip, found)

    return {"pure_callback": pure_callback}
