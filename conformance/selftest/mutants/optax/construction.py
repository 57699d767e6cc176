"""Mutants of reductions."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("optax", kills=["optax.construction.documented_states_can_be_built"])
def norms_take_no_order(optax):
    """`tree_norm` accepts one argument only."""
    tree_norm = optax.tree_utils.tree_norm
    return {"tree_utils.tree_norm": lambda tree: tree_norm(tree)}


@mutant("optax", kills=["optax.construction.documented_names_exist"])
def incremental_update_is_gone(optax):
    """`incremental_update` is `None`."""
    return {"incremental_update": None}
