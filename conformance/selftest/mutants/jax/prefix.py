"""Mutants of what compares a prefix with a tree."""

from __future__ import annotations

from selftest.mutant import mutant
from selftest.mutants._structures import with_structure

_PREFIX = "jax.prefix"
_CALLS = ("tree_map", "tree_map_with_path", "tree_broadcast")


def _calls(jax, change):
    """Patch the functions that compare structures: `change(function)` wraps each."""
    util = jax.tree_util
    present = [name for name in _CALLS if hasattr(util, name)]
    return {f"tree_util.{name}": change(getattr(util, name)) for name in present}


@mutant(
    "jax",
    kills=[f"{_PREFIX}.map_pairs_prefix_leaves_with_subtrees"],
)
def map_takes_the_first_leaf_of_a_subtree(jax):
    """`tree_map` hands on the first leaf of a subtree instead of the subtree."""

    def tree_map(f, tree, *rest, is_leaf=None):
        first = lambda subtree: [*jax.tree_util.tree_leaves(subtree), subtree][0]
        call = lambda leaf, *others: f(leaf, *map(first, others))
        return jax.tree_util.tree_map(call, tree, *rest, is_leaf=is_leaf)

    return {"tree_util.tree_map": tree_map}


@mutant("jax", kills=[f"{_PREFIX}.map_with_path_pairs_prefix_leaves_with_subtrees"])
def map_with_path_reverses_paths(jax):
    """`tree_map_with_path` hands on the paths of the leaves in the wrong order."""

    def tree_map_with_path(f, tree, *rest, is_leaf=None):
        paths = [path for path, _ in jax.tree_util.tree_flatten_with_path(tree, is_leaf)[0]]
        call = lambda path, *others: f(paths.pop(), *others)
        return jax.tree_util.tree_map_with_path(call, tree, *rest, is_leaf=is_leaf)

    return {"tree_util.tree_map_with_path": tree_map_with_path}


@mutant(
    "jax",
    kills=[
        f"{_PREFIX}.flatten_up_to_cuts_at_the_prefix",
        f"{_PREFIX}.flatten_up_to_takes_any_subtree_for_an_accepted_node",
    ],
)
def flatten_up_to_goes_to_the_leaves(jax):
    """`flatten_up_to` gives the leaves of the whole tree."""
    return with_structure(jax, flatten_up_to=lambda treedef, tree: jax.tree_util.tree_leaves(tree))


@mutant("jax", kills=[f"{_PREFIX}.tree_is_a_prefix_of_itself"])
def flatten_up_to_looks_at_leaves(jax):
    """`flatten_up_to` truth-tests what it finds."""
    return with_structure(
        jax, flatten_up_to=lambda treedef, tree: [x or x for x in treedef.flatten_up_to(tree)]
    )


@mutant("jax", kills=[f"{_PREFIX}.flatten_up_to_refuses_a_mismatch"])
def flatten_up_to_takes_any_tree(jax):
    """`flatten_up_to` gives the tree itself for every leaf where the structures differ."""

    def flatten_up_to(treedef, tree):
        try:
            return treedef.flatten_up_to(tree)
        except ValueError:
            return [tree] * treedef.num_leaves

    return with_structure(jax, flatten_up_to=flatten_up_to)


@mutant("jax", kills=[f"{_PREFIX}.broadcast_repeats_prefix_leaves"])
def broadcast_gives_the_full_tree(jax):
    """`tree_broadcast` keeps the leaves of the full tree."""

    def tree_broadcast(prefix, tree, is_leaf=None):
        jax.tree_util.tree_broadcast(prefix, tree, is_leaf)
        return tree

    return {"tree_util.tree_broadcast": tree_broadcast}


@mutant("jax", kills=[f"{_PREFIX}.broadcast_repeats_accepted_nodes"])
def broadcast_ignores_is_leaf(jax):
    """`tree_broadcast` ignores `is_leaf`."""

    def tree_broadcast(prefix, tree, is_leaf=None):
        return jax.tree_util.tree_broadcast(prefix, tree)

    return {"tree_util.tree_broadcast": tree_broadcast}


@mutant(
    "jax",
    kills=[f"{_PREFIX}.none_is_a_prefix_of_none_only", f"{_PREFIX}.map_refuses_a_mismatch"],
)
def none_is_a_prefix_of_anything(jax):
    """`tree_map` takes None for a prefix of every tree, as JAX once did."""

    def tree_map(f, tree, *rest, is_leaf=None):
        accepts = lambda node: node is None or bool(is_leaf and is_leaf(node))
        call = lambda leaf, *others: None if leaf is None else f(leaf, *others)
        return jax.tree_util.tree_map(call, tree, *rest, is_leaf=accepts)

    return {"tree_util.tree_map": tree_map}


@mutant("jax", kills=[f"{_PREFIX}.none_is_a_prefix_of_none_only"])
def none_is_a_prefix_of_leaves(jax):
    """`tree_map` takes None for a prefix of a leaf."""

    def tree_map(f, tree, *rest, is_leaf=None):
        if tree is None and jax.tree_util.all_leaves(rest):
            return None
        return jax.tree_util.tree_map(f, tree, *rest, is_leaf=is_leaf)

    return {"tree_util.tree_map": tree_map}


@mutant(
    "jax",
    kills=[
        f"{_PREFIX}.map_refuses_a_mismatch",
        f"{_PREFIX}.map_with_path_refuses_a_mismatch",
        f"{_PREFIX}.broadcast_refuses_a_mismatch",
    ],
)
def mismatch_wants_dict_keys(jax):
    """The message of a mismatch reads `.key` of every key, which attribute keys do not have."""

    def change(function):
        def patched(*arguments, **options):
            try:
                return function(*arguments, **options)
            except ValueError:
                trees = [node for node in arguments if not callable(node)]
                for path, _ in jax.tree_util.tree_flatten_with_path(trees)[0]:
                    str([key.key for key in path[2:]])
                raise

        return patched

    return _calls(jax, change)


@mutant(
    "jax",
    kills=[
        f"{_PREFIX}.map_refuses_a_mismatch_of_unprintable_leaves",
        f"{_PREFIX}.broadcast_refuses_a_mismatch_of_unprintable_leaves",
        f"{_PREFIX}.flatten_up_to_refuses_a_mismatch_of_unprintable_leaves",
    ],
)
def mismatch_prints_the_tree(jax):
    """The message of a mismatch contains the repr of the tree."""

    def change(function):
        def patched(*arguments, **options):
            try:
                return function(*arguments, **options)
            except ValueError as raised:
                raise ValueError(f"{raised} in {arguments}") from raised

        return patched

    def flatten_up_to(treedef, tree):
        try:
            return treedef.flatten_up_to(tree)
        except ValueError as raised:
            raise ValueError(f"{raised} in {tree}") from raised

    return {**_calls(jax, change), **with_structure(jax, flatten_up_to=flatten_up_to)}


@mutant(
    "jax",
    kills=[
        f"{_PREFIX}.map_names_the_place",
        f"{_PREFIX}.map_refuses_a_mismatch_of_a_later_tree",
        f"{_PREFIX}.map_with_path_names_the_place",
        f"{_PREFIX}.broadcast_names_the_place",
        f"{_PREFIX}.map_names_no_place_that_is_leaf_accepts",
        f"{_PREFIX}.broadcast_names_no_place_that_is_leaf_accepts",
    ],
)
def mismatch_names_no_place(jax):
    """A mismatch is refused without the key path."""

    def change(function):
        def patched(*arguments, **options):
            try:
                return function(*arguments, **options)
            except ValueError:
                raise ValueError("the structures differ") from None

        return patched

    return _calls(jax, change)


@mutant("jax", kills=[f"{_PREFIX}.map_with_path_refuses_a_mismatch_with_path_predicate"])
def map_with_path_cuts_short(jax):
    """`tree_map_with_path` gives back the first tree where the structures differ."""

    def tree_map_with_path(f, tree, *rest, **options):
        try:
            return jax.tree_util.tree_map_with_path(f, tree, *rest, **options)
        except ValueError:
            return tree

    return {"tree_util.tree_map_with_path": tree_map_with_path}


@mutant("jax", kills=[f"{_PREFIX}.vmap_refuses_axes_that_are_no_prefix"])
def vmap_ignores_axes(jax):
    """`vmap` maps every leaf along its first axis, whatever `in_axes` says."""
    return {"vmap": lambda function, in_axes=0: jax.vmap(function)}
