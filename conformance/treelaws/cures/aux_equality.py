"""Cures of aux data that differs between two nodes that are built alike."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from treelaws.comparison.differences import equals
from treelaws.comparison.leaf_equality import leaf_difference

from .cure import Cure, says

PLAIN = (bool, int, float, complex, str, bytes)
_ARRAYS = (jax.Array, np.ndarray)
BUILDS = (
    "node.aux.equal_builds_*",
    "node.flatten.equal_builds_map_together",
    "node.transforms.jit_does_not_retrace_for_an_equal_node",
    "node.transforms.donated_node_comes_back",
)
COPIES = (
    "node.aux.treedef_survives_*",
    "node.copies.deepcopy_equals_the_original",
    "node.copies.pickle_*equals_the_original",
)
# Of pickle, for a function that it does not find by its name.
_NO_PICKLE = ("pickle", "local object", "lookup")


def cures(start: str, one: Any, same: Any) -> Iterator[Cure]:
    """Yield the cure of an item that differs between two nodes that are built alike.

    Args:
        start: the beginning of the text, which names the item.
        one: the item of a node.
        same: the item of the other node.
    """
    if one is same or isinstance(one, _ARRAYS) or equals(one, same):
        return
    laws = (*BUILDS, *COPIES)
    raises = functools.partial(says, _NO_PICKLE)
    if isinstance(one, types.FunctionType):
        text = (
            f"{start}a function that each constructor call makes anew, and functions are "
            "compared by identity; use a function of the module, or make it a child"
        )
        yield Cure(text, laws, raises)
    elif isinstance(one, functools.partial):
        text = (
            f"{start}a functools.partial, which is compared by identity; put its function and its "
            "arguments there, or make a jax.tree_util.Partial a child"
        )
        yield Cure(text, laws)
    elif isinstance(one, PLAIN):
        if type(one) is not type(same) or leaf_difference(one, same):
            text = (
                f"{start}but it differs between two nodes that are built alike; leave it out of "
                "the aux data, or take it as an argument of the constructor"
            )
            yield Cure(text, laws)
    else:
        yield from _by_identity(start, one, laws)


def of_copies(start: str, one: Any, copied: Any) -> Iterator[Cure]:
    """Yield the cure of an item that differs in a deep copy, such as a default that nodes share.

    Args:
        start: the beginning of the text, which names the item.
        one: the item of a node.
        copied: the item of a deep copy of the node.
    """
    if one is not copied and not isinstance(one, _ARRAYS) and not equals(one, copied):
        yield from _by_identity(start, one, COPIES)


def _by_identity(start: str, one: Any, laws: tuple[str, ...]) -> Iterator[Cure]:
    if isinstance(one, types.MethodType):
        kind = type(one.__self__).__name__
        text = (
            f"{start}a method bound to a {kind}, and bound methods compare their objects by "
            f"identity; put the {kind} there, with __eq__ and __hash__ by value, and read its "
            "method where it is called"
        )
        yield Cure(text, laws)
        return
    held = next((item for item in _flat(one) if _compares_by_identity(item)), None)
    if held is not None:
        yield _of_identity(start, held, laws)


def _of_identity(start: str, held: Any, laws: tuple[str, ...]) -> Cure:
    kind = type(held).__name__
    text = (
        f"{start}a {kind}, which is compared by identity; give {kind} __eq__ and __hash__ by "
        "value, such as with @dataclasses.dataclass(frozen=True)"
    )
    return Cure(text, laws)


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, (dict, types.MappingProxyType)):
        value = tuple(value.values())
    if isinstance(value, (tuple, list, frozenset, set)):
        for item in value:
            yield from _flat(item)
    else:
        yield value


def _compares_by_identity(value: Any) -> bool:
    callables = (types.FunctionType, functools.partial, types.MethodType)
    return type(value).__eq__ is object.__eq__ and not isinstance(value, callables)
