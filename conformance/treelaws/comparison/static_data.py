"""Aux data in treedefs: where that of two trees differs, by the attributes of the user's class."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import Any

from .differences import Difference, difference, equals, parts, told_apart
from .places import attribute

_KEYED = (dict, collections.OrderedDict, collections.defaultdict)


def node_at(treedef: Any, indices: Sequence[int]) -> Any:
    """Return the part of a treedef that a list of child indices leads to."""
    for index in indices:
        treedef = treedef.children()[index]
    return treedef


def aux_data(treedef: Any, indices: Sequence[int] = ()) -> Any:
    """Return the aux data of a node of a treedef; `None` for a leaf."""
    data = node_at(treedef, indices).node_data()
    return data and data[1]


def static_differs(one: Any, other: Any) -> bool:
    """Return whether the roots of two treedefs are of one class and differ in their aux data.

    JAX prints the keys of a dict where its children stand, so those are left out.
    """
    mine, theirs = one.node_data(), other.node_data()
    if mine is None or theirs is None or mine[0] is not theirs[0] or mine[0] in _KEYED:
        return False
    return not equals(mine[1], theirs[1])


def static_difference(node: Any, data: Any, wanted: Any) -> Difference:
    """Return the first difference between the aux data of two nodes of a class.

    Args:
        node: the node whose aux data is `wanted`; its attributes give the places their names.
        data: the aux data of the other node.
        wanted: the aux data of the node.
    """
    name = attribute(node, [wanted], 0)
    if not name and type(data) is type(wanted) and type(wanted) in (tuple, list, dict):
        mine, theirs = parts(data), parts(wanted)
        for index, part in enumerate(theirs):
            found = difference(mine[part], theirs[part]) if part in mine else None
            named = found and attribute(node, list(theirs.values()), index)
            if found and named:
                return Difference(f"{named}{found.place}", found.one, found.other)
    found = difference(data, wanted) or Difference("", *told_apart(data, wanted))
    if name:
        return Difference(f"{name}{found.place}", found.one, found.other)
    whole = f"aux data{found.place} of {type(node).__name__}"
    return Difference(whole, found.one, found.other)


def retyped_node(got: Any, wanted: Any) -> list[int] | None:
    """Return the child indices of the first node whose aux data differs in type or in sign."""
    data, other = got.node_data(), wanted.node_data()
    if data is None:
        return None
    if _differs_in_type(data, other):
        return []
    for index, pair in enumerate(zip(got.children(), wanted.children(), strict=True)):
        below = retyped_node(*pair)
        if below is not None:
            return [index, *below]
    return None


def _differs_in_type(one: Any, other: Any) -> bool:
    if one is other:
        return False
    if type(one) is not type(other):
        return True
    if isinstance(one, (tuple, list)):
        return any(map(_differs_in_type, one, other))
    if isinstance(one, dict):
        return any(_differs_in_type(one[key], other[key]) for key in one)
    return isinstance(one, (float, complex)) and repr(one) != repr(other)
