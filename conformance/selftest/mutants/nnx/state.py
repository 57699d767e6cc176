"""Mutants of `State`."""

from __future__ import annotations

from collections.abc import Mapping

import jax.tree_util as jtu

from selftest.mutant import mutant

from ._patching import registered

_ID = "nnx.state."


def _items(state):
    return list(state.raw_mapping.items())


def _rebuild(cls, keys, children):
    return cls(zip(keys, children, strict=True))


@mutant("nnx", kills=[_ID + "a_state_is_a_mapping"])
def nested_mappings_are_copies(nnx):
    """What is written into a nested mapping of a State is lost."""

    class State(nnx.State):
        def __getitem__(self, key):
            value = super().__getitem__(key)
            return type(self)(dict(value)) if isinstance(value, nnx.State) else value

    return {"State": State}


@mutant("nnx", kills=[_ID + "errors_are_those_of_a_dict"])
def missing_items_are_index_errors(nnx):
    """`[]` of a missing key raises IndexError."""

    class State(nnx.State):
        def __getitem__(self, key):
            try:
                return super().__getitem__(key)
            except KeyError as error:
                raise IndexError(key) from error

    return {"State": State}


@mutant("nnx", kills=[_ID + "an_attribute_is_an_item"])
def attributes_are_never_there(nnx):
    """A State knows its items as items alone."""

    class State(nnx.State):
        def __getattr__(self, name):
            raise AttributeError(name)

    return {"State": State}


@mutant("nnx", kills=[_ID + "a_state_copies_the_mapping_it_is_made_of"])
def a_state_keeps_the_mapping(nnx):
    """A State made of a dict writes into that dict."""

    class State(nnx.State):
        def __init__(self, mapping, /, *, _copy=True):
            super().__init__(mapping, _copy=_copy and not isinstance(mapping, dict))

    return {"State": State}


@mutant("nnx", kills=[_ID + "a_deep_copy_holds_equal_variables"])
def a_deep_copy_is_shallow(nnx):
    """A deep copy of a State is empty."""

    class State(nnx.State):
        def __deepcopy__(self, memo):
            return type(self)({})

    return {"State": State}


@mutant("nnx", kills=[_ID + "a_state_comes_back_from_pickle"])
def pickle_drops_nested_mappings(nnx):
    """A State comes back from pickle without its nested mappings."""

    class State(nnx.State):
        def __reduce__(self):
            plain = {key: value for key, value in _items(self) if not isinstance(value, Mapping)}
            return nnx.State, (plain,)

    return {"State": State}


@mutant(
    "nnx",
    kills=[
        _ID + "mapping_the_identity_keeps_a_state",
        "nnx.is_leaf.selected_variables_give_their_values",
    ],
)
def unflatten_makes_texts_of_keys(nnx):
    """A State is rebuilt with the texts of its keys."""

    def unflatten(cls, keys, children):
        return cls(zip(map(str, keys), children, strict=True))

    def flatten(state):
        pairs = sorted(_items(state))
        return [value for _, value in pairs], tuple(key for key, _ in pairs)

    return {"State": registered(nnx.State, flatten, unflatten)}


@mutant(
    "nnx",
    kills=[
        _ID + "the_structure_ignores_the_order_of_items",
        _ID + "leaves_stand_in_the_order_of_their_paths",
    ],
)
def keys_are_not_sorted(nnx):
    """A State is flattened in the order in which its items were set."""

    def flatten(state):
        return [value for _, value in _items(state)], tuple(key for key, _ in _items(state))

    return {"State": registered(nnx.State, flatten, _rebuild)}


@mutant("nnx", kills=[_ID + "a_key_path_leads_to_its_leaf"])
def key_paths_are_mixed_up(nnx):
    """The key paths of a State come in the reverse order of its leaves."""

    def flatten(state):
        pairs = sorted(_items(state))
        return [value for _, value in pairs], tuple(key for key, _ in pairs)

    def keyed(state):
        values, keys = flatten(state)
        return list(zip(map(jtu.DictKey, keys[::-1]), values, strict=True)), keys

    return {"State": registered(nnx.State, flatten, _rebuild, keyed)}
