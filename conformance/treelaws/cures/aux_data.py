"""Cures of aux data that has no hash, has no plain `==`, or depends on the children."""

from __future__ import annotations

import copy
import functools
import types
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from treelaws.comparison.differences import equals
from treelaws.comparison.places import attribute
from treelaws.laws._watch import HOOKS

from . import aux_equality
from .aux_equality import BUILDS, COPIES, PLAIN
from .cure import Cure, says
from .methods import Method, watched
from .witness import Part, flatten_method, one_level

_ARRAYS = (jax.Array, np.ndarray)
_TUPLES = {
    list: "a tuple",
    dict: "a tuple of its sorted items",
    types.MappingProxyType: "a tuple of its sorted items",
    set: "a frozenset",
    bytearray: "bytes",
    slice: "a tuple of its start, stop and step",
}
# Py_TPFLAGS_HEAPTYPE without Py_TPFLAGS_IMMUTABLETYPE: the class takes new methods.
_HEAP, _IMMUTABLE = 1 << 9, 1 << 8
_HASH = ("node.aux.aux_data_is_hashable", "node.aux.*_hashes")
_EQUALITY = (
    "node.aux.treedef_equals_itself",
    "node.aux.treedef_equality_is_a_bool",
    "node.aux.equal_builds_*",
    "node.aux.treedef_survives_*",
    "node.aux.different_configuration_*",
)
_LEAVES = (
    "node.aux.treedef_depends_on_no_leaf",
    "node.flatten.unflatten_accepts_*",
    "node.transforms.*",
)
# Of JAX and of Python: for aux data without a hash or without a plain ==.
_NO_HASH = ("unhashable type", "not hashable", "non-hashable", "__hash__")
_NO_BOOL = ("checking equality of metadata", "truth value of an array", "comparing", "equality")


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
        yield from aux_equality.cures(start, one, same)
    yield from _of_copies(part, node, flatten)
    yield from _of_leaves(part, flatten)


def _of_copies(part: Part, node: Any, flatten: Method | None) -> Iterator[Cure]:
    copied = watched(functools.partial(copy.deepcopy, node))[0]
    if type(copied) is type(node):
        data, other = (one_level(one)[1].node_data() for one in (node, copied))
        for name, one, same in _items(node, data[1], other[1]):
            yield from aux_equality.of_copies(_start(part, node, flatten, name), one, same)


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
    raises = functools.partial(says, _NO_HASH + _NO_BOOL)
    if isinstance(inner, _ARRAYS):
        text = (
            f"{start}which holds an array: an array has no hash, and == gives no bool; make "
            "it a child, or wrap it in a class with __eq__ and __hash__"
        )
        yield Cure(text, (*_HASH, *_EQUALITY, *BUILDS, *COPIES), raises)
    elif type(inner) in _TUPLES:
        kind = type(inner).__name__
        text = (
            f"{start}which holds a {kind}: a {kind} has no hash; use {_TUPLES[type(inner)]} there"
        )
        yield Cure(text, _HASH, raises)
    else:
        kind = type(inner).__name__
        takes = type(inner).__flags__ & (_HEAP | _IMMUTABLE) == _HEAP
        cure = f"give {kind}" if takes else "wrap it in a class with __eq__ and"
        text = f"{start}which holds a {kind} without a hash; {cure} __hash__"
        yield Cure(text, _HASH, raises)


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
        if not name.startswith(".") and isinstance(one, (*PLAIN, tuple)) and not equals(one, then):
            text = (
                f"{_start(part, node, flatten, name)}but it changes with the children; leave it "
                "out of the aux data, and compute it where it is used"
            )
            yield Cure(text, _LEAVES, functools.partial(says, ("custom node data",)))
