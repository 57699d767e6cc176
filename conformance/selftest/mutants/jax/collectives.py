"""Mutants of the collectives of JAX."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("jax", kills=["jax.collectives.options_of_collectives_mean_what_they_say"])
def all_gather_stacks_along_the_first_axis(jax):
    """`all_gather` puts the rows along the first axis, whatever `axis` says."""

    def all_gather(tree, name, axis=0, tiled=False):
        return jax.lax.all_gather(tree, name, tiled=tiled)

    return {"lax.all_gather": all_gather}


@mutant("jax", kills=["jax.collectives.collectives_stay_within_groups"])
def pmap_exchanges_two_rows(jax):
    """`pmap` gives the first two devices the rows of each other."""

    def pmap(function, **options):
        mapped = jax.pmap(function, **options)
        swap = lambda leaf: leaf[jax.numpy.array([1, 0, *range(2, len(leaf))])]
        return lambda tree: jax.tree_util.tree_map(swap, mapped(tree))

    return {"pmap": pmap}
