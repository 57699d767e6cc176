"""Mutants of key paths."""

from __future__ import annotations

from selftest.mutant import mutant


def _with_path(jax, change):
    """Patch `tree_flatten_with_path`: `change(pairs)` gives other pairs."""

    def tree_flatten_with_path(tree, is_leaf=None):
        pairs, treedef = jax.tree_util.tree_flatten_with_path(tree, is_leaf)
        return change(pairs), treedef

    return {"tree_util.tree_flatten_with_path": tree_flatten_with_path}


@mutant("jax", kills=["jax.paths.flatten_with_path_agrees_with_flatten"])
def paths_are_sorted(jax):
    """`tree_flatten_with_path` sorts the leaves by their paths."""
    return _with_path(jax, lambda pairs: sorted(pairs, key=lambda pair: str(pair[0])))


@mutant("jax", kills=["jax.paths.path_leads_to_its_leaf"])
def paths_are_reversed(jax):
    """A path begins with the key of the leaf."""
    return _with_path(jax, lambda pairs: [(path[::-1], leaf) for path, leaf in pairs])


@mutant(
    "jax",
    kills=["jax.paths.paths_are_distinct", "jax.recursion.moderate_depth_is_no_matter"],
)
def paths_are_cut_off(jax):
    """A path ends after its first key."""
    return _with_path(jax, lambda pairs: [(path[:1], leaf) for path, leaf in pairs])


@mutant("jax", kills=["jax.paths.leaves_with_path_is_flatten_with_path"])
def leaves_with_path_ignores_is_leaf(jax):
    """`tree_leaves_with_path` ignores `is_leaf`."""

    def tree_leaves_with_path(tree, is_leaf=None):
        return jax.tree_util.tree_leaves_with_path(tree)

    return {"tree_util.tree_leaves_with_path": tree_leaves_with_path}


@mutant(
    "jax",
    kills=[
        "jax.paths.one_level_has_the_children_of_the_root",
        "jax.paths.one_level_is_the_same_with_keys",
    ],
)
def one_level_is_reversed(jax):
    """`flatten_one_level` gives the children from the last to the first."""

    def flatten_one_level(tree):
        children, data = jax.tree_util.flatten_one_level(tree)
        return tuple(children)[::-1], data

    return {"tree_util.flatten_one_level": flatten_one_level}


@mutant("jax", kills=["jax.paths.one_level_has_the_first_keys"])
def one_level_of_a_list_repeats_a_key(jax):
    """`flatten_one_level_with_keys` gives every child of a list the key of the first."""

    def flatten_one_level_with_keys(tree):
        pairs, data = jax.tree_util.flatten_one_level_with_keys(tree)
        pairs = list(pairs)
        if isinstance(tree, list):
            pairs = [(pairs[0][0], child) for _, child in pairs]
        return pairs, data

    return {"tree_util.flatten_one_level_with_keys": flatten_one_level_with_keys}


@mutant("jax", kills=["jax.paths.one_level_with_keys_refuses_leaves"])
def one_level_with_keys_of_a_leaf_is_empty(jax):
    """`flatten_one_level_with_keys` gives no children for a leaf."""

    def flatten_one_level_with_keys(tree):
        if jax.tree_util.all_leaves([tree]):
            return (), None
        return jax.tree_util.flatten_one_level_with_keys(tree)

    return {"tree_util.flatten_one_level_with_keys": flatten_one_level_with_keys}


@mutant("jax", kills=["jax.paths.keys_have_the_type_for_their_node"])
def keys_of_lists_are_dict_keys(jax):
    """The key of an element of a list is a DictKey."""
    util = jax.tree_util
    change = lambda key: util.DictKey(key.idx) if isinstance(key, util.SequenceKey) else key
    return _with_path(jax, lambda pairs: [(tuple(map(change, path)), leaf) for path, leaf in pairs])


class _Unequal:
    def __init__(self, key):
        self.key = str(key)

    def __str__(self):
        return self.key


@mutant("jax", kills=["jax.paths.keys_survive_pickle"])
def keys_are_compared_by_identity(jax):
    """A key is equal to itself only."""
    return _with_path(
        jax, lambda pairs: [(tuple(map(_Unequal, path)), leaf) for path, leaf in pairs]
    )


@mutant("jax", kills=["jax.paths.keystr_separates_the_keys"])
def keystr_ignores_the_separator(jax):
    """`keystr` puts nothing between the keys."""

    def keystr(keys, *, simple=False, separator=""):
        return jax.tree_util.keystr(keys, simple=simple)

    return {"tree_util.keystr": keystr}


@mutant("jax", kills=["jax.paths.keystr_writes_simple_keys"])
def keystr_ignores_simple(jax):
    """`keystr` writes simple keys like others."""

    def keystr(keys, *, simple=False, separator=""):
        return jax.tree_util.keystr(keys, separator=separator)

    return {"tree_util.keystr": keystr}


@mutant("jax", kills=["jax.paths.one_level_refuses_leaves"])
def one_level_of_a_leaf_is_empty(jax):
    """`flatten_one_level` gives no children for a leaf."""

    def flatten_one_level(tree):
        if jax.tree_util.all_leaves([tree]):
            return (), None
        return jax.tree_util.flatten_one_level(tree)

    return {"tree_util.flatten_one_level": flatten_one_level}


@mutant("jax", kills=["jax.paths.keystr_joins_the_keys"])
def keystr_separates_by_slashes(jax):
    """`keystr` puts a slash between the keys."""
    return {"tree_util.keystr": lambda path: "/".join(map(str, path))}


@mutant("jax", kills=["jax.paths.keys_are_made_of_their_parts"])
def a_key_made_by_hand_is_another(jax):
    """A key in a path holds the text of its key."""
    util = jax.tree_util

    class Key(util.DictKey):
        def __eq__(self, other):
            return self is other

        __hash__ = util.DictKey.__hash__

    change = lambda key: Key(key.key) if isinstance(key, util.DictKey) else key
    return _with_path(jax, lambda pairs: [(tuple(map(change, path)), leaf) for path, leaf in pairs])
