"""Mutants of the predicate `is_leaf`."""

from __future__ import annotations

from selftest.mutant import mutant


def _flatteners(jax, change):
    """Patch the functions that take `is_leaf`: `change(tree, is_leaf)` gives another predicate."""
    util = jax.tree_util

    def patch(function):
        def patched(tree, is_leaf=None):
            return function(tree, is_leaf and change(tree, is_leaf))

        return patched

    names = ("tree_flatten", "tree_leaves", "tree_structure", "tree_flatten_with_path")
    return {f"tree_util.{name}": patch(getattr(util, name)) for name in names}


@mutant(
    "jax",
    kills=[
        "jax.is_leaf.is_leaf_is_asked_once_everywhere",
        "jax.is_leaf.accepted_root_is_the_only_leaf",
    ],
)
def is_leaf_skips_the_root(jax):
    """`is_leaf` is not asked about the root."""
    return _flatteners(jax, lambda tree, is_leaf: lambda node: node is not tree and is_leaf(node))


@mutant(
    "jax",
    kills=[
        "jax.is_leaf.is_leaf_is_asked_once_everywhere",
        "jax.is_leaf.is_leaf_is_not_asked_inside_an_accepted_node",
    ],
)
def is_leaf_is_asked_twice(jax):
    """`is_leaf` is asked twice about each node."""
    return _flatteners(jax, lambda tree, is_leaf: lambda node: max(is_leaf(node), is_leaf(node)))


@mutant("jax", kills=["jax.is_leaf.is_leaf_is_asked_from_left_to_right"])
def is_leaf_is_asked_from_right_to_left(jax):
    """`is_leaf` is asked about the last node first."""

    def tree_leaves(tree, is_leaf=None):
        nodes = []
        jax.tree_util.tree_leaves(tree, lambda node: bool(nodes.append(node)))
        answers = [(node, bool(is_leaf and is_leaf(node))) for node in reversed(nodes)]
        return jax.tree_util.tree_leaves(
            tree, lambda node: any(answer for other, answer in answers if other is node)
        )

    return {"tree_util.tree_leaves": tree_leaves}


@mutant(
    "jax",
    kills=["jax.is_leaf.is_leaf_filters_nothing", "jax.is_leaf.is_leaf_may_return_none"],
)
def is_leaf_filters(jax):
    """`tree_leaves` gives the nodes that `is_leaf` accepts, and no others."""

    def tree_leaves(tree, is_leaf=None):
        leaves = jax.tree_util.tree_leaves(tree, is_leaf)
        return [leaf for leaf in leaves if is_leaf is None or is_leaf(leaf)]

    return {"tree_util.tree_leaves": tree_leaves}


@mutant("jax", kills=["jax.is_leaf.is_leaf_that_says_false_changes_nothing"])
def is_leaf_exposes_none(jax):
    """With an `is_leaf` every None is a leaf."""
    return _flatteners(jax, lambda tree, is_leaf: lambda node: node is None or is_leaf(node))


@mutant(
    "jax",
    kills=[
        "jax.is_leaf.flatten_with_is_leaf_is_undone_by_unflatten",
        "jax.map.leaves_and_structure_are_the_halves_of_flatten",
    ],
)
def structure_forgets_is_leaf(jax):
    """`tree_flatten` gives the structure of the tree without `is_leaf`."""

    def tree_flatten(tree, is_leaf=None):
        return jax.tree_util.tree_leaves(tree, is_leaf), jax.tree_util.tree_structure(tree)

    return {"tree_util.tree_flatten": tree_flatten}


@mutant("jax", kills=["jax.is_leaf.is_leaf_must_return_a_bool"])
def is_leaf_may_return_anything(jax):
    """Whatever `is_leaf` returns is truth-tested."""
    return _flatteners(jax, lambda tree, is_leaf: lambda node: bool(is_leaf(node)))


@mutant("jax", kills=["jax.is_leaf.error_in_is_leaf_reaches_the_caller"])
def error_in_is_leaf_means_no(jax):
    """An error in `is_leaf` counts as False."""

    def change(tree, is_leaf):
        def careless(node):
            try:
                return is_leaf(node)
            except Exception:
                return False

        return careless

    return _flatteners(jax, change)


def _with_path(jax, change):
    def tree_flatten_with_path(tree, is_leaf=None, is_leaf_takes_path=False):
        if is_leaf_takes_path and is_leaf is not None:
            is_leaf = change(is_leaf)
        return jax.tree_util.tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)

    return {"tree_util.tree_flatten_with_path": tree_flatten_with_path}


@mutant("jax", kills=["jax.is_leaf.is_leaf_receives_the_path"])
def is_leaf_receives_half_the_path(jax):
    """The predicate receives the path without its last key."""
    return _with_path(jax, lambda is_leaf: lambda path, node: is_leaf(path[:-1], node))


@mutant("jax", kills=["jax.is_leaf.is_leaf_with_path_decides_as_without"])
def is_leaf_with_path_skips_the_root(jax):
    """The predicate that takes a path is not asked about the root."""
    return _with_path(jax, lambda is_leaf: lambda path, node: bool(path) and is_leaf(path, node))


@mutant("jax", kills=["jax.is_leaf.what_is_leaf_accepts_is_a_leaf"])
def accepted_nodes_are_flattened(jax):
    """`tree_leaves` flattens what `is_leaf` accepts."""

    def tree_leaves(tree, is_leaf=None):
        return jax.tree_util.tree_leaves(jax.tree_util.tree_leaves(tree, is_leaf))

    return {"tree_util.tree_leaves": tree_leaves}
