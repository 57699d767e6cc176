"""Mutants of look-ups by key."""

from __future__ import annotations

import re

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


@mutant("optax", kills=[_ID + "keys_have_any_name"])
def the_tree_is_no_key(optax):
    """`tree_set` takes its tree by keyword too, so that no key is called so."""

    def tree_set(tree, filtering=None, **values):
        return optax.tree_utils.tree_set(tree, filtering, **values)

    return {"tree_utils.tree_set": tree_set}


@mutant("optax", kills=[_ID + "links_have_any_name"])
def names_are_identifiers(optax):
    """`named_chain` makes a field of a class out of each name."""
    field = lambda name: name if name.isidentifier() else f"link_{len(name)}"
    return {"named_chain": lambda *pairs: optax.named_chain(*((field(a), b) for a, b in pairs))}


@mutant("optax", kills=[_ID + "measures_have_any_name"])
def spaces_are_replaced(optax):
    """`monitor` puts an underscore in the place of each character of a name other than a letter."""

    def monitor(measures):
        plain = {re.sub(r"\W", "_", name): measure for name, measure in measures.items()}
        return optax.monitor(plain)

    return {"monitor": monitor}


@mutant("optax", kills=[_ID + "labels_have_any_name"])
def labels_are_true(optax):
    """`multi_transform` drops a transformation whose label is 0 or empty."""

    def multi_transform(transforms, labels, **options):
        kept = {label: tx for label, tx in transforms.items() if label}
        return optax.multi_transform(kept, labels, **options)

    return {"multi_transform": multi_transform}
