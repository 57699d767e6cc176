"""Mutants of how mappings are flattened."""

from __future__ import annotations

import collections

from selftest.mutant import mutant

_KEYS = "jax.dict_keys"
_NAMES = ("tree_flatten", "tree_leaves", "tree_structure", "tree_flatten_with_path")


def _flatteners(jax, change):
    """Patch the functions that flatten: `change(tree)` gives another tree."""
    util = jax.tree_util

    def patch(function):
        return lambda tree, *args, **options: function(change(tree), *args, **options)

    return {f"tree_util.{name}": patch(getattr(util, name)) for name in _NAMES}


@mutant(
    "jax",
    kills=[
        f"{_KEYS}.dict_forgets_the_order_of_insertion",
        f"{_KEYS}.defaultdict_forgets_the_order_of_insertion",
        f"{_KEYS}.dict_leaves_are_sorted_by_key",
        f"{_KEYS}.defaultdict_leaves_are_sorted_by_key",
    ],
)
def mappings_are_flattened_in_order_of_insertion(jax):
    """A dict or a defaultdict at the root is flattened in the order of insertion."""

    def change(tree):
        unsorted = type(tree) in (dict, collections.defaultdict)
        return collections.OrderedDict(tree) if unsorted else tree

    patches = _flatteners(jax, change)
    return {**patches, "tree_util.tree_leaves": jax.tree_util.tree_leaves}


@mutant(
    "jax",
    kills=[f"{_KEYS}.map_pairs_equal_keys", f"{_KEYS}.map_pairs_equal_keys_of_defaultdicts"],
)
def map_never_calls_the_function(jax):
    """`tree_map` gives the first of several trees back."""

    def tree_map(f, tree, *rest, is_leaf=None):
        return tree if rest else jax.tree_util.tree_map(f, tree, is_leaf=is_leaf)

    return {"tree_util.tree_map": tree_map}


@mutant(
    "jax",
    kills=[f"{_KEYS}.map_pairs_equal_keys", f"{_KEYS}.map_pairs_equal_keys_of_defaultdicts"],
)
def map_pairs_values_by_position(jax):
    """`tree_map` pairs the values of mappings by position."""

    def tree_map(f, tree, *rest, is_leaf=None):
        if isinstance(tree, dict) and rest:
            return jax.tree_util.tree_map(
                f, list(tree.values()), *(list(other.values()) for other in rest)
            )
        return jax.tree_util.tree_map(f, tree, *rest, is_leaf=is_leaf)

    return {"tree_util.tree_map": tree_map}


@mutant(
    "jax",
    kills=[f"{_KEYS}.ordered_dict_keeps_its_order", f"{_KEYS}.ordered_dict_order_is_structure"],
)
def ordered_dicts_are_sorted(jax):
    """An OrderedDict at the root is flattened like a dict."""

    def change(tree):
        return dict(tree) if type(tree) is collections.OrderedDict else tree

    return _flatteners(jax, change)


@mutant("jax", kills=[f"{_KEYS}.defaultdict_keeps_its_factory"])
def defaultdicts_lose_their_factory(jax):
    """A mapped defaultdict has no factory."""

    def tree_map(f, tree, *rest, is_leaf=None):
        got = jax.tree_util.tree_map(f, tree, *rest, is_leaf=is_leaf)
        return dict(got) if isinstance(got, collections.defaultdict) else got

    return {"tree_util.tree_map": tree_map}


@mutant("jax", kills=[f"{_KEYS}.dict_leaves_are_sorted_by_key"])
def dicts_with_paths_are_flattened_in_order_of_insertion(jax):
    """A dict at the root is flattened with paths in the order of insertion."""

    def tree_flatten_with_path(tree, is_leaf=None):
        ordered = collections.OrderedDict(tree) if type(tree) is dict else tree
        return jax.tree_util.tree_flatten_with_path(ordered, is_leaf)

    return {"tree_util.tree_flatten_with_path": tree_flatten_with_path}


@mutant("jax", kills=[f"{_KEYS}.keys_without_order_are_a_value_or_type_error"])
def unsortable_mappings_are_a_runtime_error(jax):
    """A tree with keys that cannot be sorted is refused with a RuntimeError."""

    def tree_flatten(tree, is_leaf=None):
        try:
            return jax.tree_util.tree_flatten(tree, is_leaf)
        except (ValueError, TypeError) as raised:
            raise RuntimeError("the keys cannot be sorted") from raised

    return {"tree_util.tree_flatten": tree_flatten}


@mutant("jax", kills=[f"{_KEYS}.keys_without_order_are_refused"])
def unsortable_mappings_are_leaves(jax):
    """A tree with keys that cannot be sorted is a leaf."""

    def tree_flatten(tree, is_leaf=None):
        try:
            return jax.tree_util.tree_flatten(tree, is_leaf)
        except (ValueError, TypeError):
            return [tree], jax.tree_util.tree_structure(0)

    return {"tree_util.tree_flatten": tree_flatten}


@mutant("jax", kills=[f"{_KEYS}.single_key_is_any_hashable_object"])
def keys_must_be_equal_to_themselves(jax):
    """The keys of a mapping are turned into text."""

    def tree_map(f, tree, *rest, is_leaf=None):
        if type(tree) is dict:
            tree = {str(key): value for key, value in tree.items()}
        return jax.tree_util.tree_map(f, tree, *rest, is_leaf=is_leaf)

    return {"tree_util.tree_map": tree_map}
