"""Mutants of flatten, map and reduce."""

from __future__ import annotations

import functools

from selftest.mutant import mutant


@mutant(
    "jax",
    kills=[
        "jax.map.leaves_and_structure_are_the_halves_of_flatten",
        "jax.is_leaf.accepted_root_is_the_only_leaf",
        "jax.recursion.is_leaf_cuts_a_cycle",
    ],
)
def leaves_ignore_is_leaf(jax):
    """`tree_leaves` ignores `is_leaf`."""
    return {"tree_util.tree_leaves": lambda tree, is_leaf=None: jax.tree_util.tree_leaves(tree)}


@mutant("jax", kills=["jax.map.unflatten_undoes_flatten"])
def unflatten_drops_falsy_leaves(jax):
    """`tree_unflatten` truth-tests the leaves and puts None in place of falsy ones."""

    def tree_unflatten(treedef, leaves):
        return treedef.unflatten([leaf or None for leaf in leaves])

    return {"tree_util.tree_unflatten": tree_unflatten}


@mutant("jax", kills=["jax.map.unflatten_refuses_another_number_of_leaves"])
def unflatten_ignores_leaves_too_many(jax):
    """`tree_unflatten` ignores leaves that are too many."""

    def tree_unflatten(treedef, leaves):
        return treedef.unflatten(list(leaves)[: treedef.num_leaves])

    return {"tree_util.tree_unflatten": tree_unflatten}


def _map(jax, flat):
    """Patch `tree_map`: `flat(f, leaves, *rests)` gives the new leaves."""

    def tree_map(f, tree, *rest, is_leaf=None):
        leaves, treedef = jax.tree_util.tree_flatten(tree, is_leaf)
        return treedef.unflatten(flat(f, leaves, *map(treedef.flatten_up_to, rest)))

    return {"tree_util.tree_map": tree_map}


@mutant("jax", kills=["jax.map.map_calls_the_function_once_a_leaf"])
def map_begins_with_the_last_leaf(jax):
    """`tree_map` calls the function for the last leaf first."""
    return _map(jax, lambda f, *flat: [f(*xs) for xs in [*zip(*flat, strict=True)][::-1]][::-1])


@mutant("jax", kills=["jax.map.map_is_flatten_apply_unflatten"])
def map_gives_the_leaves_back(jax):
    """`tree_map` calls the function and keeps the leaves."""
    return _map(jax, lambda f, *flat: [(f(*xs), xs[0])[1] for xs in zip(*flat, strict=True)])


@mutant("jax", kills=["jax.map.map_over_several_trees_pairs_the_leaves"])
def map_reverses_the_third_tree(jax):
    """`tree_map` pairs the leaves of the third tree in the wrong order."""
    return _map(
        jax, lambda f, one, *rest: list(map(f, one, *rest[:1], *(xs[::-1] for xs in rest[1:])))
    )


@mutant("jax", kills=["jax.map.error_in_the_function_reaches_the_caller"])
def map_wraps_errors(jax):
    """`tree_map` raises a RuntimeError of its own when the function raises."""

    def apply(f, *flat):
        try:
            return list(map(f, *flat))
        except Exception as raised:
            raise RuntimeError("tree_map failed") from raised

    return _map(jax, apply)


@mutant(
    "jax",
    kills=[
        "jax.map.map_with_path_is_map_over_paths",
        "jax.prefix.accepted_node_matches_any_subtree",
    ],
)
def map_with_path_ignores_is_leaf(jax):
    """`tree_map_with_path` ignores `is_leaf`."""

    def tree_map_with_path(f, tree, *rest, is_leaf=None):
        return jax.tree_util.tree_map_with_path(f, tree, *rest)

    return {"tree_util.tree_map_with_path": tree_map_with_path}


@mutant("jax", kills=["jax.map.reduce_folds_the_leaves"])
def reduce_begins_on_the_right(jax):
    """`tree_reduce` folds the leaves from the right."""

    def tree_reduce(function, tree, *initial, is_leaf=None):
        leaves = jax.tree_util.tree_leaves(tree, is_leaf)
        return functools.reduce(function, leaves[::-1], *initial)

    return {"tree_util.tree_reduce": tree_reduce}


@mutant("jax", kills=["jax.map.reduce_of_nothing_needs_an_initial_value"])
def reduce_of_nothing_is_none(jax):
    """`tree_reduce` gives None for a tree without leaves."""

    def tree_reduce(function, tree, *initial, is_leaf=None):
        if not jax.tree_util.tree_leaves(tree, is_leaf):
            return initial[0] if initial else None
        return jax.tree_util.tree_reduce(function, tree, *initial, is_leaf=is_leaf)

    return {"tree_util.tree_reduce": tree_reduce}


@mutant("jax", kills=["jax.map.reduce_associative_combines_the_leaves"])
def reduce_associative_commutes(jax):
    """`tree_reduce_associative` takes the operation for a commutative one."""

    def tree_reduce_associative(operation, tree, **options):
        swapped = lambda left, right: operation(right, left)
        return jax.tree_util.tree_reduce_associative(swapped, tree, **options)

    return {"tree_util.tree_reduce_associative": tree_reduce_associative}


@mutant("jax", kills=["jax.map.reduce_associative_combines_the_leaves"])
def reduce_associative_ignores_is_leaf(jax):
    """`tree_reduce_associative` ignores `is_leaf`."""

    def tree_reduce_associative(operation, tree, *, is_leaf=None, **options):
        return jax.tree_util.tree_reduce_associative(operation, tree, **options)

    return {"tree_util.tree_reduce_associative": tree_reduce_associative}


@mutant("jax", kills=["jax.map.reduce_associative_needs_no_identity_for_leaves"])
def reduce_associative_wants_an_identity(jax):
    """`tree_reduce_associative` cannot do without an identity."""

    def tree_reduce_associative(operation, tree, *, identity, is_leaf=None):
        options = {"identity": identity, "is_leaf": is_leaf}
        return jax.tree_util.tree_reduce_associative(operation, tree, **options)

    return {"tree_util.tree_reduce_associative": tree_reduce_associative}


@mutant("jax", kills=["jax.map.tree_reduces_associatively_as_tree_util"])
def tree_reduce_associative_drops_is_leaf(jax):
    """`jax.tree.reduce_associative` ignores `is_leaf`."""

    def reduce_associative(operation, tree, *, is_leaf=None, **options):
        return jax.tree_util.tree_reduce_associative(operation, tree, **options)

    return {"tree.reduce_associative": reduce_associative}


@mutant("jax", kills=["jax.map.tree_reduces_associatively_as_tree_util"])
def reduce_associative_drops_the_last_leaf(jax):
    """Both functions leave out the last of several leaves."""

    def reduce_associative(operation, tree, *, is_leaf=None, **options):
        leaves = jax.tree_util.tree_leaves(tree, is_leaf)
        kept = leaves[:-1] if len(leaves) > 1 else leaves
        return functools.reduce(operation, kept) if kept else options["identity"]

    return {
        "tree.reduce_associative": reduce_associative,
        "tree_util.tree_reduce_associative": reduce_associative,
    }


@mutant("jax", kills=["jax.map.reduce_associative_uses_the_identity_for_nothing_else"])
def reduce_associative_adds_the_identity(jax):
    """`tree_reduce_associative` combines the identity with the leaves."""

    def tree_reduce_associative(operation, tree, *, identity, is_leaf=None):
        leaves = jax.tree_util.tree_leaves(tree, is_leaf)
        return functools.reduce(operation, leaves, identity)

    return {"tree_util.tree_reduce_associative": tree_reduce_associative}


@mutant("jax", kills=["jax.map.all_is_all_of_the_leaves"])
def all_stops_at_the_first(jax):
    """`tree_all` gives the truth of the first leaf."""
    return {"tree_util.tree_all": lambda tree: all(jax.tree_util.tree_leaves(tree)[:1])}


@mutant("jax", kills=["jax.map.all_asks_accepted_nodes_for_their_truth"])
def all_ignores_is_leaf(jax):
    """`tree_all` ignores `is_leaf`."""
    return {"tree_util.tree_all": lambda tree, *, is_leaf=None: jax.tree_util.tree_all(tree)}


@mutant("jax", kills=["jax.map.all_leaves_knows_leaves_from_nodes"])
def all_leaves_counts_nodes(jax):
    """`all_leaves` takes an empty container for a leaf."""

    def all_leaves(items, is_leaf=None):
        return all(jax.tree_util.tree_structure(item, is_leaf).num_nodes == 1 for item in items)

    return {"tree_util.all_leaves": all_leaves}


@mutant("jax", kills=["jax.map.all_leaves_agrees_with_flatten_on_is_leaf"])
def all_leaves_ignores_is_leaf(jax):
    """`all_leaves` ignores `is_leaf`."""
    return {"tree_util.all_leaves": lambda items, is_leaf=None: jax.tree_util.all_leaves(items)}


@mutant("jax", kills=["jax.map.is_tree_node_knows_node_types"])
def is_tree_node_overlooks_namedtuples(jax):
    """`is_tree_node` does not know namedtuples."""

    def is_tree_node(kind):
        return jax.tree_util.is_tree_node(kind) and not hasattr(kind, "_fields")

    return {"tree_util.is_tree_node": is_tree_node}


@mutant("jax", kills=["jax.map.tree_flattens_as_tree_util"])
def tree_structure_ignores_is_leaf(jax):
    """`jax.tree.structure` ignores `is_leaf`."""
    return {"tree.structure": lambda tree, is_leaf=None: jax.tree.structure(tree)}


@mutant("jax", kills=["jax.map.tree_with_path_is_tree_util_with_path"])
def tree_leaves_with_path_ignores_is_leaf(jax):
    """`jax.tree.leaves_with_path` ignores `is_leaf`."""
    return {"tree.leaves_with_path": lambda tree, is_leaf=None: jax.tree.leaves_with_path(tree)}


@mutant("jax", kills=["jax.map.tree_maps_as_tree_util"])
def tree_reduce_ignores_is_leaf(jax):
    """`jax.tree.reduce` ignores `is_leaf`."""

    def reduce(function, tree, initial, is_leaf=None):
        return jax.tree.reduce(function, tree, initial)

    return {"tree.reduce": reduce}


@mutant("jax", kills=["jax.map.all_leaves_with_is_leaf_knows_leaves_from_nodes"])
def all_leaves_compares_by_value(jax):
    """`all_leaves` with `is_leaf` asks for the truth of `==` between leaves."""

    def all_leaves(items, is_leaf=None):
        elements = list(items)
        leaves = jax.tree_util.tree_leaves(elements, is_leaf)
        return len(leaves) == len(elements) and all(map(bool, leaves))

    return {"tree_util.all_leaves": all_leaves}
