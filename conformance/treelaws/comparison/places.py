"""Places in a tree, written as the user reads them: `.layers[0].bias`."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any

import jax.tree_util as jtu

from treelaws.comparison.contents import contents

_ITEMS = (list, tuple, dict)


def child_indices(treedef: Any, leaf: int) -> list[int]:
    """Return the index of the child to follow at each node, from the root to a leaf.

    Args:
        treedef: the treedef of the tree.
        leaf: the index of the leaf in `tree_leaves`.
    """
    for index, child in enumerate(treedef.children()):
        if leaf < child.num_leaves:
            return [index, *child_indices(child, leaf)]
        leaf -= child.num_leaves
    return []


def children(node: Any) -> list[Any]:
    """Return the children of a node; of a leaf, itself."""
    return jtu.tree_leaves(node, is_leaf=lambda part: part is not node)


def at(tree: Any, indices: Sequence[int]) -> Any:
    """Return the part of a tree that a list of child indices leads to.

    If a node has fewer children this time than its treedef said, it is returned itself.
    """
    for index in indices:
        held = children(tree)
        if index >= len(held):
            return tree
        tree = held[index]
    return tree


def place(tree: Any, indices: Sequence[int]) -> str:
    """Return the place that a list of child indices leads to; empty for the root.

    A child without a key is found among the attributes of its node; if it is in none of them, it
    is called `child 0 of Box`.
    """
    text = ""
    for index in indices:
        held = children(tree)
        if index >= len(held):
            break
        name = _key(tree, held, index) or attribute(tree, held, index)
        text = joined(text, name or f"child {index} of {type(tree).__name__}")
        tree = held[index]
    return text


def joined(place: str, name: str) -> str:
    """Return a place and the name of a part there as one place."""
    in_words = place.rpartition(", ")[2].startswith("child ") or name[:1] not in ("", ".", "[")
    return f"{place}, {name}" if place and name and in_words else f"{place}{name}"


def attribute(node: Any, parts: Sequence[Any], index: int) -> str:
    """Return the text that reads a part from a node, such as `.layers[0]`.

    Args:
        node: the object that may hold the part.
        parts: the children of the node, or the items of its aux data.
        index: which of them; they are found by identity.

    Returns:
        The text; empty if the node does not hold the part, or holds it more often than `parts`.
    """
    found, value = [], parts[index]
    for name, held in {**_members(node), **contents(node)}.items():
        text = name if name.startswith("[") else f".{name}"
        if held is value:
            found.append(text)
        elif type(held) in _ITEMS:
            found += [f"{text}{item}" for item, one in contents(held).items() if one is value]
    same = [number for number, part in enumerate(parts) if part is value]
    return found[same.index(index)] if len(found) == len(same) else ""


def _members(node: Any) -> dict[str, Any]:
    """Return the attributes that a class written in C keeps outside of `__dict__`."""
    names = [
        name
        for base in type(node).__mro__
        for name, member in vars(base).items()
        if isinstance(member, types.MemberDescriptorType) and not name.startswith("__")
    ]
    return {name: getattr(node, name) for name in names if hasattr(node, name)}


def _key(node: Any, held: Sequence[Any], index: int) -> str:
    try:
        pairs = jtu.tree_flatten_with_path(node, is_leaf=lambda part: part is not node)[0]
    except Exception:
        # Key paths may be broken, too; another law reports that.
        return ""
    if len(pairs) != len(held) or pairs[index][1] is not held[index]:
        return ""
    path = pairs[index][0]
    return "" if isinstance(path[-1], jtu.FlattenedIndexKey) else jtu.keystr(path)
