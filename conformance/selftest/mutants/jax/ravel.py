"""Mutants of `ravel_pytree`."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from selftest.mutant import mutant

_RAVEL = "jax.ravel"


def _ravel(jax, change):
    """Patch `ravel_pytree`: `change(tree, flat, unravel)` gives another vector and function."""

    def ravel_pytree(tree):
        return change(tree, *jax.flatten_util.ravel_pytree(tree))

    return {"flatten_util.ravel_pytree": ravel_pytree}


@mutant(
    "jax",
    kills=[f"{_RAVEL}.vector_has_one_entry_an_element", f"{_RAVEL}.vector_of_no_leaves_is_float32"],
)
def vector_of_no_leaves_is_a_scalar(jax):
    """The vector of a tree without leaves has rank 0."""
    return _ravel(jax, lambda tree, flat, unravel: (flat if flat.size else jnp.zeros([]), unravel))


@mutant("jax", kills=[f"{_RAVEL}.vector_of_no_leaves_is_float32"])
def vector_of_no_leaves_is_int32(jax):
    """An empty vector has dtype int32."""
    return _ravel(
        jax, lambda tree, flat, unravel: (flat if flat.size else flat.astype("int32"), unravel)
    )


@mutant(
    "jax",
    kills=[f"{_RAVEL}.unravel_undoes_ravel", f"{_RAVEL}.unravel_restores_wide_and_narrow_leaves"],
)
def unravel_keeps_the_promoted_dtype(jax):
    """The leaves come back in the dtype of the vector."""

    def change(tree, flat, unravel):
        cast = lambda leaf: leaf.astype(flat.dtype)
        return flat, lambda vector: jax.tree_util.tree_map(cast, unravel(vector))

    return _ravel(jax, change)


@mutant("jax", kills=[f"{_RAVEL}.vector_has_the_promoted_dtype"])
def vector_has_the_dtype_of_the_first_leaf(jax):
    """The vector has the dtype of the first leaf."""

    def change(tree, flat, unravel):
        first = jnp.asarray(jax.tree_util.tree_leaves(tree)[0]).dtype
        return jnp.real(flat).astype(first), unravel

    return _ravel(jax, change)


@mutant("jax", kills=[f"{_RAVEL}.vector_has_the_promoted_dtype"])
def vector_of_integers_is_float32(jax):
    """The vector of a tree of integers is one of floats."""

    def change(tree, flat, unravel):
        return (flat.astype("float32") if jnp.issubdtype(flat.dtype, np.integer) else flat), unravel

    return _ravel(jax, change)


@mutant("jax", kills=[f"{_RAVEL}.vector_holds_the_leaves_in_order"])
def vector_is_written_by_columns(jax):
    """The leaves are written column by column."""

    def change(tree, flat, unravel):
        leaves = [np.asarray(jnp.asarray(leaf)) for leaf in jax.tree_util.tree_leaves(tree)]
        parts = [leaf.ravel(order="F").astype(flat.dtype) for leaf in leaves]
        return jnp.asarray(np.concatenate([np.zeros(0, flat.dtype), *parts])), unravel

    return _ravel(jax, change)


@mutant("jax", kills=[f"{_RAVEL}.unravel_refuses_another_length"])
def unravel_cuts_off_what_is_too_long(jax):
    """The end of a vector that is too long is ignored."""
    return _ravel(
        jax, lambda tree, flat, unravel: (flat, lambda vector: unravel(vector[: flat.size]))
    )


@mutant(
    "jax",
    kills=[
        f"{_RAVEL}.unravel_refuses_another_dtype",
        f"{_RAVEL}.unravel_of_one_dtype_takes_any_dtype",
        f"{_RAVEL}.unravel_functions_of_equal_trees_are_equal",
    ],
)
def unravel_casts_the_vector(jax):
    """A vector of another dtype is cast."""
    return _ravel(
        jax, lambda tree, flat, unravel: (flat, lambda vector: unravel(vector.astype(flat.dtype)))
    )
