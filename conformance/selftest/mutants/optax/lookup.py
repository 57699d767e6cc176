"""Mutants of look-ups by key."""

from __future__ import annotations

from selftest.mutant import mutant

_ID = "optax.lookup."


@mutant("optax", kills=[_ID + "every_value_is_found", _ID + "the_only_value_is_got"])
def the_outermost_value_is_found_alone(optax):
    """A value inside of another with the same key, or behind the first, is not found."""

    def first(tree, key, filtering=None):
        return optax.tree_utils.tree_get_all_with_path(tree, key, filtering)[:1]

    def get(tree, key, default=None, filtering=None):
        found = first(tree, key, filtering)
        return found[0][1] if found else default

    return {"tree_utils.tree_get_all_with_path": first, "tree_utils.tree_get": get}


@mutant("optax", kills=[_ID + "a_path_leads_to_its_value"])
def paths_lack_their_end(optax):
    """The path to a value ends before it."""

    def cut(tree, key, filtering=None):
        found = optax.tree_utils.tree_get_all_with_path(tree, key, filtering)
        return [(path[:-1], value) for path, value in found]

    return {"tree_utils.tree_get_all_with_path": cut}


@mutant("optax", kills=[_ID + "the_only_value_is_got"])
def the_default_is_forgotten(optax):
    """`tree_get` gives `None` for a key that is nowhere."""

    def tree_get(tree, key, default=None, filtering=None):
        return optax.tree_utils.tree_get(tree, key, filtering=filtering)

    return {"tree_utils.tree_get": tree_get}


@mutant("optax", kills=[_ID + "every_value_is_set"])
def nothing_is_set(optax):
    """`tree_set` gives the tree back."""
    return {"tree_utils.tree_set": lambda tree, filtering=None, /, **values: tree}


@mutant("optax", kills=[_ID + "filtering_chooses_among_the_values"])
def filtering_is_ignored(optax):
    """`tree_get` does not ask `filtering`."""

    def tree_get(tree, key, default=None, filtering=None):
        found = optax.tree_utils.tree_get_all_with_path(tree, key)
        return found[0][1] if found else default

    return {"tree_utils.tree_get": tree_get}


@mutant("optax", kills=[_ID + "setting_leaves_the_argument_alone"])
def dicts_are_set_in_place(optax):
    """`tree_set` writes into a dict or a list at the root."""

    def tree_set(tree, filtering=None, /, **values):
        after = optax.tree_utils.tree_set(tree, filtering, **values)
        if isinstance(tree, dict):
            tree.update(after)
        elif isinstance(tree, list):
            tree[:] = after
        return after

    return {"tree_utils.tree_set": tree_set}
