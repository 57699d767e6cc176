"""Mutants of reductions of trees."""

from __future__ import annotations

from selftest.mutant import mutant

_ID = "jax.reductions."


@mutant("jax", kills=[f"{_ID}trees_are_reduced"])
def reduce_turns_its_operands(jax):
    """`reduce` turns the arrays around along two axes."""

    def reduce(tree, start, combine, axes):
        leaves, structure = jax.tree_util.tree_flatten(tree)
        turned = jax.tree_util.tree_unflatten(structure, [leaf[::-1, :, ::-1] for leaf in leaves])
        return jax.lax.reduce(turned, start, combine, axes)

    return {"lax.reduce": reduce}


@mutant("jax", kills=[f"{_ID}trees_are_reduced_in_windows"])
def windows_are_not_strided(jax):
    """`reduce_window` steps by one."""

    def reduce_window(tree, start, combine, window, strides, padding):
        return jax.lax.reduce_window(tree, start, combine, window, (1,) * len(strides), padding)

    return {"lax.reduce_window": reduce_window}
