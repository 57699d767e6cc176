"""Mutants of JAX for the laws about constructors that do work."""

from __future__ import annotations

import copy

import jax.tree_util as jtu

from selftest.mutant import mutant

_ID = "recipes.constructors."


@mutant("jax", kills=[_ID + "work_outside_of_unflatten_keeps_every_leaf"])
def unflatten_works_on_the_table(jax):
    """`tree_unflatten` does once more to a node what its constructor does."""

    def tree_unflatten(treedef, leaves):
        node = jtu.tree_unflatten(treedef, leaves)
        if hasattr(node, "table"):
            node.table = {**node.table, "a": 42}
        return node

    return {"tree_util.tree_unflatten": tree_unflatten}


@mutant("jax", kills=[_ID + "object_new_in_unflatten_runs_no_constructor"])
def maps_construct_once_more(jax):
    """`tree_map` tries the constructor of the node that it gives."""

    def tree_map(function, tree, *rest, is_leaf=None):
        node = jtu.tree_map(function, tree, *rest, is_leaf=is_leaf)
        if hasattr(node, "calls"):
            type(node)(node.table)
        return node

    return {"tree_util.tree_map": tree_map}


@mutant("jax", kills=[_ID + "constructor_in_unflatten_runs_on_every_map"])
def maps_work_on_a_copy(jax):
    """`tree_map` copies a node and maps what the copy holds."""

    def tree_map(function, tree, *rest, is_leaf=None):
        if not hasattr(tree, "table") or rest:
            return jtu.tree_map(function, tree, *rest, is_leaf=is_leaf)
        node = copy.copy(tree)
        node.table = jtu.tree_map(function, tree.table)
        return node

    return {"tree_util.tree_map": tree_map}


@mutant("jax", kills=[_ID + "aux_value_survives_every_use"])
def maps_lose_the_aux_data(jax):
    """`tree_map` gives a node whose static value is gone."""

    def tree_map(function, tree, *rest, is_leaf=None):
        node = jtu.tree_map(function, tree, *rest, is_leaf=is_leaf)
        if hasattr(node, "value"):
            node.value = None
        return node

    return {"tree_util.tree_map": tree_map}


@mutant("jax", kills=[_ID + "aux_value_is_a_part_of_the_structure"])
def structures_leave_the_aux_data_out(jax):
    """`tree_structure` does not tell static values apart."""

    def tree_structure(tree, is_leaf=None):
        if hasattr(tree, "value"):
            tree = copy.copy(tree)
            tree.value = None
        return jtu.tree_structure(tree, is_leaf=is_leaf)

    return {"tree_util.tree_structure": tree_structure}


@mutant("jax", kills=[_ID + "object_new_in_unflatten_runs_no_constructor"])
def jit_constructs_once_more(jax):
    """A function from `jit` calls the constructor of the node that it returns."""

    def jit(function, **options):
        def call(node):
            node = jax.jit(function, **options)(node)
            if hasattr(node, "calls"):
                type(node)(node.table)
            return node

        return call

    return {"jit": jit}


@mutant("jax", kills=[_ID + "constructor_in_unflatten_runs_on_every_map"])
def jit_gives_its_argument_back(jax):
    """A function from `jit` that changes nothing returns the very node that it got."""

    def jit(function, **options):
        return lambda node: node if function(node) is node else jax.jit(function, **options)(node)

    return {"jit": jit}
