"""The model of Optax' look-ups by key: plain recursion over dicts, named tuples and sequences."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator
from typing import Any

import jax.tree_util as jtu


def _is_named_tuple(node: Any) -> bool:
    return isinstance(node, tuple) and hasattr(node, "_fields")


def _entries(node: Any) -> Iterator[tuple[Any, Any]]:
    """Give the keys that name children of a node, with the children; `None` for no name."""
    if _is_named_tuple(node):
        yield from zip(node._fields, node, strict=True)
    elif isinstance(node, dict):
        yield from node.items()
    elif isinstance(node, (list, tuple)):
        yield from ((None, child) for child in node)


def values_at(tree: Any, key: str) -> list[Any]:
    """Give the values with this key, field or name of a named tuple, also inside of each other.

    Args:
        tree: where to look.
        key: what to look for.
    """
    found = [tree] if _is_named_tuple(tree) and type(tree).__name__ == key else []
    for name, child in _entries(tree):
        found += [child] if name == key else []
        found += values_at(child, key)
    return found


def replaced(tree: Any, key: str, value: Any) -> Any:
    """Put a value at each place that has this key, field or name, and keep every node's type.

    Args:
        tree: where to put it.
        key: what to look for.
        value: what to put there.
    """
    if _is_named_tuple(tree) and type(tree).__name__ == key:
        return value
    children = [
        value if name == key else replaced(child, key, value) for name, child in _entries(tree)
    ]
    if _is_named_tuple(tree):
        return type(tree)(*children)
    if isinstance(tree, collections.defaultdict):
        return collections.defaultdict(tree.default_factory, zip(tree, children, strict=True))
    if isinstance(tree, dict):
        return type(tree)(zip(tree, children, strict=True))
    return type(tree)(children) if isinstance(tree, (list, tuple)) else tree


def by_identity(values: list[Any]) -> list[int]:
    """Give a list that is equal for the same objects in any order."""
    return sorted(map(id, values))


def followed(tree: Any, path: tuple[Any, ...]) -> Any:
    """Give what a path leads to."""
    for entry in path:
        tree = _STEPS[type(entry).__name__](tree, entry)
    return tree


_STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "NamedTupleKey": lambda tree, entry: getattr(tree, entry.name),
    "DictKey": lambda tree, entry: tree[entry.key],
    "SequenceKey": lambda tree, entry: tree[entry.idx],
    "GetAttrKey": lambda tree, entry: getattr(tree, entry.name),
}


def same_object(tree: Any) -> Any:
    """Flatten and rebuild a tree."""
    return jtu.tree_map(lambda leaf: leaf, tree)
