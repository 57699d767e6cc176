"""Mutants of `nnx.Dict`."""

from __future__ import annotations

import itertools
from typing import Any

from selftest.mutant import mutant

_ID = "nnx.dict."


def _dict(nnx: Any, **methods: Any) -> dict[str, Any]:
    """Return a Dict with some methods replaced; nothing where the release has no Dict."""
    return {"Dict": type("Dict", (nnx.Dict,), methods)} if hasattr(nnx, "Dict") else {}


@mutant("nnx", kills=[_ID + "a_program_does_what_it_does_to_a_dict"])
def pop_ignores_its_default(nnx):
    """`pop(key, default)` raises KeyError."""

    def pop(self, key, *default):
        return super(broken["Dict"], self).pop(key)

    broken = _dict(nnx, pop=pop)
    return broken


@mutant(
    "nnx",
    kills=[
        _ID + "a_program_does_what_it_does_to_a_dict",
        _ID + "a_key_is_there_or_it_is_not",
    ],
)
def missing_keys_give_none(nnx):
    """`[]` of a key that is not there gives `None`."""

    def get(self, key):
        try:
            return super(broken["Dict"], self).__getitem__(key)
        except KeyError:
            return None

    broken = _dict(nnx, __getitem__=get)
    return broken


@mutant("nnx", kills=[_ID + "errors_are_those_of_a_dict"])
def missing_keys_are_index_errors(nnx):
    """`[]` of a missing key raises IndexError."""

    def get(self, key):
        if key not in vars(self):
            raise IndexError(key)
        return super(broken["Dict"], self).__getitem__(key)

    broken = _dict(nnx, __getitem__=get)
    return broken


@mutant("nnx", kills=[_ID + "a_round_trip_keeps_the_items"])
def clone_drops_a_key(nnx):
    """`clone` and `merge` of a Dict lose a key."""

    def drop(back):
        for key in list(back)[:1]:
            delattr(back, key)
        return back

    return {
        "merge": lambda *args, **options: drop(nnx.merge(*args, **options)),
        "clone": lambda node, **options: drop(nnx.clone(node, **options)),
    }


@mutant("nnx", kills=[_ID + "structure_depends_on_the_items_alone"])
def deleted_keys_stay_data(nnx):
    """A deleted key is remembered in the structure."""

    def delete(self, key):
        super(broken["Dict"], self).__delitem__(key)
        nodes = self._pytree__nodes.update({f"{key} was here": True})
        object.__setattr__(self, "_pytree__nodes", nodes)

    broken = _dict(nnx, __delitem__=delete)
    return broken


@mutant("nnx", kills=[_ID + "equality_is_that_of_the_items"])
def dicts_compare_by_identity(nnx):
    """`==` of a Dict is that of objects."""
    return _dict(nnx, __eq__=object.__eq__, __hash__=object.__hash__)


@mutant("nnx", kills=[_ID + "equal_dicts_hash_alike"])
def hash_counts_its_calls(nnx):
    """Each call of `hash` gives another number."""
    numbers = itertools.count()
    return _dict(nnx, __hash__=lambda self: next(numbers))


@mutant("nnx", kills=[_ID + "items_are_attributes"])
def attributes_are_no_items(nnx):
    """An attribute that is set from outside is no item."""

    def keys(self):
        return (key for key in super(broken["Dict"], self).__iter__() if key != "attribute")

    broken = _dict(nnx, __iter__=keys)
    return broken


@mutant("nnx", kills=[_ID + "keys_are_any_texts"])
def keys_with_dots_are_lost(nnx):
    """A key with a dot is not listed."""

    def keys(self):
        return (key for key in super(broken["Dict"], self).__iter__() if "." not in key)

    broken = _dict(nnx, __iter__=keys)
    return broken
