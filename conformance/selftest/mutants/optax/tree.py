"""Mutants of arithmetic and reductions of trees."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from selftest.mutant import mutant

_ID = "optax.tree."


@mutant("optax", kills=[_ID + "arithmetic_is_leafwise"])
def differences_are_turned(optax):
    """`tree_sub` subtracts the first tree from the second."""
    sub = optax.tree_utils.tree_sub
    return {"tree_utils.tree_sub": lambda tree, other: sub(other, tree)}


@mutant("optax", kills=[_ID + "constant_trees_are_like_their_model"])
def ones_are_single_floats(optax):
    """`tree_ones_like` gives float32 whatever the leaf is."""

    def tree_ones_like(tree, dtype=None):
        return optax.tree_utils.tree_ones_like(tree, jnp.float32)

    return {"tree_utils.tree_ones_like": tree_ones_like}


@mutant("optax", kills=[_ID + "a_dtype_is_given_to_every_leaf"])
def the_dtype_of_zeros_is_ignored(optax):
    """`tree_zeros_like` ignores its dtype."""
    zeros = optax.tree_utils.tree_zeros_like
    return {"tree_utils.tree_zeros_like": lambda tree, dtype=None: zeros(tree)}


@mutant("optax", kills=[_ID + "a_cast_to_none_is_the_identity"])
def a_cast_to_none_is_one_to_floats(optax):
    """`tree_cast` to `None` casts to float32."""

    def tree_cast(tree, dtype):
        return optax.tree_utils.tree_cast(tree, dtype or jnp.float32)

    return {"tree_utils.tree_cast": tree_cast}


@mutant("optax", kills=[_ID + "a_tree_is_cast_like_another"])
def a_tree_is_cast_like_the_first_leaf(optax):
    """`tree_cast_like` casts to single precision."""

    def tree_cast_like(tree, other_tree):
        return jax.tree.map(lambda leaf, _: leaf.astype(jnp.float32), tree, other_tree)

    return {"tree_utils.tree_cast_like": tree_cast_like}


@mutant("optax", kills=[_ID + "where_chooses_a_tree"])
def where_is_turned(optax):
    """`tree_where` gives the first tree where the condition does not hold."""
    where = optax.tree_utils.tree_where
    return {"tree_utils.tree_where": lambda condition, one, other: where(condition, other, one)}


@mutant("optax", kills=[_ID + "random_trees_are_like_their_model"])
def random_numbers_are_single_floats(optax):
    """`tree_random_like` gives float16."""

    def tree_random_like(rng_key, target_tree):
        return optax.tree_utils.tree_random_like(rng_key, target_tree, dtype=jnp.float16)

    return {"tree_utils.tree_random_like": tree_random_like}


@mutant(
    "optax",
    kills=[
        _ID + "reductions_look_at_the_leaves_alone",
        _ID + "empty_reductions_give_the_identity",
    ],
)
def none_counts_as_one(optax):
    """Reductions take `None` and an empty node for a number."""

    def counted(reduce):
        def reduced(*trees, **options):
            stops = lambda node: not jax.tree.leaves(node)
            holes = sum(map(stops, jax.tree.leaves(trees, is_leaf=stops)))
            return reduce(*trees, **options) + holes

        return reduced

    util = optax.tree_utils
    names = ("tree_sum", "tree_vdot", "tree_norm", "tree_l2_norm", "tree_l1_norm", "tree_size")
    found = {f"tree_utils.{name}": getattr(util, name) for name in names if hasattr(util, name)}
    found["global_norm"] = optax.global_norm
    return {name: counted(reduce) for name, reduce in found.items()}


@mutant("optax", kills=[_ID + "reductions_are_those_of_all_numbers"])
def the_largest_norm_of_a_leaf_is_returned(optax):
    """Norms and sums are those of the leaf for which they are largest."""

    def of_leaves(reduce):
        def reduced(tree, **options):
            found = [reduce(leaf, **options) for leaf in jax.tree.leaves(tree)]
            return max(found, default=0.0)

        return reduced

    util = optax.tree_utils
    names = ("tree_sum", "tree_norm", "tree_l2_norm", "tree_l1_norm", "tree_size")
    found = {f"tree_utils.{name}": getattr(util, name) for name in names if hasattr(util, name)}
    return {name: of_leaves(reduce) for name, reduce in found.items()}


@mutant("optax", kills=[_ID + "the_global_norm_is_that_of_all_numbers"])
def norms_are_added(optax):
    """`global_norm` adds the norms of the leaves."""

    def global_norm(tree):
        return sum(
            (jnp.linalg.norm(jnp.ravel(x).astype(jnp.float32)) for x in jax.tree.leaves(tree)), 0.0
        )

    return {"global_norm": global_norm}
