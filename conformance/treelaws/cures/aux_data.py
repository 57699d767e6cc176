"""Cures of aux data that has no hash, has no plain `==`, or differs between equal nodes."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from treelaws.comparison.differences import equals
from treelaws.comparison.leaf_equality import leaf_difference
from treelaws.comparison.places import attribute
from treelaws.laws._watch import HOOKS

from .cure import Cure
from .methods import Method, watched
from .witness import Part, flatten_method, one_level

_ARRAYS = (jax.Array, np.ndarray)
_PLAIN = (bool, int, float, complex, str, bytes)
_TUPLES = {
    list: "a tuple",
    dict: "a tuple of its sorted items",
    set: "a frozenset",
    bytearray: "bytes",
}
_HASH = ("node.aux.aux_data_is_hashable", "node.aux.*_hashes")
_EQUALITY = (
    "node.aux.treedef_equals_itself",
    "node.aux.treedef_equality_is_a_bool",
    "node.aux.equal_builds_*",
    "node.aux.treedef_survives_*",
    "node.aux.different_configuration_*",
)
_BUILDS = (
    "node.aux.equal_builds_*",
    "node.flatten.equal_builds_map_together",
    "node.transforms.jit_does_not_retrace_for_an_equal_node",
)
_COPIES = (
    "node.aux.treedef_survives_*",
    "node.copies.deepcopy_equals_the_original",
    "node.copies.pickle_*equals_the_original",
)
_LEAVES = (
    "node.aux.treedef_depends_on_no_leaf",
    "node.flatten.unflatten_accepts_*",
    "node.transforms.*",
)
# Of JAX and of Python: for aux data without a hash, without a plain ==, or that is not picklable.
_NO_HASH = ("unhashable type", "not hashable", "non-hashable", "__hash__")
_NO_BOOL = ("checking equality of metadata", "truth value of an array", "comparing", "equality")
_NO_PICKLE = ("pickle", "local object", "lookup")


def cures(part: Part) -> Iterator[Cure]:
    """Yield the cure of each item of the aux data that was seen to break a law.

    Args:
        part: a node of the witness.
    """
    node, again = part.build(), part.build()
    data, other = (one_level(one)[1].node_data() for one in (node, again))
    if data is None or other is None:
        return
    flatten = flatten_method(node)
    for name, one, same in _items(node, data[1], other[1]):
        start = _start(part, node, flatten, name)
        yield from _unhashable(start, one)
        yield from _different(start, one, same)
    yield from _of_leaves(part, flatten)


def _items(node: Any, aux: Any, other: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the items of aux data: a name, the item, and the same item of an equal node."""
    name = attribute(node, [aux], 0)
    if not name and isinstance(aux, tuple) and len(aux) == len(other):
        for index, pair in enumerate(zip(aux, other, strict=True)):
            yield attribute(node, aux, index) or f"aux data[{index}]", *pair
    else:
        yield name, aux, other


def _start(part: Part, node: Any, flatten: Method | None, name: str) -> str:
    kind = type(node).__name__
    place = flatten.described(part.recipe) if flatten else f"the flatten of {kind}"
    if not name.startswith("."):
        return f"{place} returns {name or 'aux data'}, "
    return f"{place} puts {kind}{name} into the aux data, "


def _unhashable(start: str, value: Any) -> Iterator[Cure]:
    inner = _inner_unhashable(value)
    if inner is None:
        return
    raises = functools.partial(_says, _NO_HASH + _NO_BOOL)
    if isinstance(inner, _ARRAYS):
        text = (
            f"{start}which holds an array: an array has no hash, and == gives no bool; make "
            "it a child, or wrap it in a class with __eq__ and __hash__"
        )
        yield Cure(text, (*_HASH, *_EQUALITY, *_BUILDS, *_COPIES), raises)
    elif type(inner) in _TUPLES:
        kind = type(inner).__name__
        text = (
            f"{start}which holds a {kind}: a {kind} has no hash; use {_TUPLES[type(inner)]} there"
        )
        yield Cure(text, _HASH, raises)
    else:
        kind = type(inner).__name__
        yield Cure(
            f"{start}which holds a {kind} without a hash; give {kind} __hash__", _HASH, raises
        )


def _inner_unhashable(value: Any) -> Any:
    """Return the innermost part that has no hash; `None` if the value has one."""
    try:
        hash(value)
    except Exception:
        # A __hash__ may raise any error.
        inner = value.values() if isinstance(value, dict) else value
        if isinstance(inner, tuple):
            return next((_inner_unhashable(one) for one in inner if not _hashable(one)), value)
        if isinstance(value, (list, dict)):
            return next((one for one in inner if isinstance(one, _ARRAYS)), value)
        return value
    return None


def _hashable(value: Any) -> bool:
    return _inner_unhashable(value) is None


def _different(start: str, one: Any, same: Any) -> Iterator[Cure]:
    """Yield the cure of an item that differs between two nodes that are built alike."""
    if one is same or isinstance(one, _ARRAYS) or equals(one, same):
        return
    laws = (*_BUILDS, *_COPIES)
    raises = functools.partial(_says, _NO_PICKLE)
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
    elif isinstance(one, _PLAIN):
        if type(one) is not type(same) or leaf_difference(one, same):
            text = (
                f"{start}but it differs between two nodes that are built alike; leave it out of "
                "the aux data, or take it as an argument of the constructor"
            )
            yield Cure(text, laws)
    else:
        yield from _by_identity(start, one, laws)


def _of_leaves(part: Part, flatten: Method | None) -> Iterator[Cure]:
    """Yield the cure of an item that flatten computes from the children."""
    node = part.build()
    children, treedef = one_level(node)
    given = [object() for _ in children]
    back, error, ran = watched(functools.partial(treedef.unflatten, given))
    if error is not None or any(method.code.co_name in HOOKS for method in ran):
        return
    data, other = treedef.node_data(), one_level(back)[1].node_data()
    for name, one, then in _items(node, data[1], other[1]):
        if not name.startswith(".") and isinstance(one, (*_PLAIN, tuple)) and not equals(one, then):
            text = (
                f"{_start(part, node, flatten, name)}but it changes with the children; leave it "
                "out of the aux data, and compute it where it is used"
            )
            yield Cure(text, _LEAVES, functools.partial(_says, ("custom node data",)))


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
        kind = type(held).__name__
        text = (
            f"{start}a {kind}, which is compared by identity; give {kind} __eq__ and __hash__ by "
            "value, such as with @dataclasses.dataclass(frozen=True)"
        )
        yield Cure(text, laws)


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, (tuple, list, frozenset, set)):
        for item in value:
            yield from _flat(item)
    else:
        yield value


def _compares_by_identity(value: Any) -> bool:
    callables = (types.FunctionType, functools.partial, types.MethodType)
    return type(value).__eq__ is object.__eq__ and not isinstance(value, callables)


def _says(words: tuple[str, ...], error: Exception) -> bool:
    text = f"{type(error).__name__}: {error}".lower()
    return any(word.lower() in text for word in words)
