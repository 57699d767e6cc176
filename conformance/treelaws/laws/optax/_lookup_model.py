"""A model of Optax's look-ups by key: recursion over dicts, named tuples and sequences."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator
from typing import Any


def _is_named_tuple(node: Any) -> bool:
    return isinstance(node, tuple) and hasattr(node, "_fields")


def _entries(node: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the children of a node with their keys, or with `None` for children without a key."""
    if _is_named_tuple(node):
        yield from zip(node._fields, node, strict=True)
    elif isinstance(node, dict):
        yield from node.items()
    elif isinstance(node, (list, tuple)):
        yield from ((None, child) for child in node)


def values_at(tree: Any, key: str) -> list[Any]:
    """Return the values with this key, field or type name, including values inside values.

    Args:
        tree: where to look.
        key: the key, the field or the name of a named tuple type.
    """
    found = [tree] if _is_named_tuple(tree) and type(tree).__name__ == key else []
    for name, child in _entries(tree):
        found += [child] if name == key else []
        found += values_at(child, key)
    return found


def replaced(tree: Any, key: str, value: Any) -> Any:
    """Put a value at each place with this key, field or type name; node types stay the same.

    Args:
        tree: the tree that is copied.
        key: the key, the field or the name of a named tuple type.
        value: the new value.
    """
    if _is_named_tuple(tree) and type(tree).__name__ == key:
        return value
    children = [
        value if name == key else replaced(child, key, value) for name, child in _entries(tree)
    ]
    return _rebuilt(tree, children)


def replaced_at(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Put a value at the place where a path of `tree_get_all_with_path` leads.

    Args:
        tree: the tree that is copied.
        path: the path.
        value: the new value.
    """
    if not path:
        return value
    child = followed(tree, path[:1])
    key = next(getattr(path[0], name) for name in _KEYS if hasattr(path[0], name))
    children = [
        replaced_at(child, path[1:], value) if (at if own is None else own) == key else old
        for at, (own, old) in enumerate(_entries(tree))
    ]
    return _rebuilt(tree, children)


def _rebuilt(tree: Any, children: list[Any]) -> Any:
    if _is_named_tuple(tree):
        return type(tree)(*children)
    if isinstance(tree, collections.defaultdict):
        return collections.defaultdict(tree.default_factory, zip(tree, children, strict=True))
    if isinstance(tree, dict):
        return type(tree)(zip(tree, children, strict=True))
    return type(tree)(children) if isinstance(tree, (list, tuple)) else tree


def by_identity(values: list[Any]) -> list[int]:
    """Return a list that is equal for the same objects in any order."""
    return sorted(map(id, values))


def followed(tree: Any, path: tuple[Any, ...]) -> Any:
    """Return the object that a path leads to."""
    for entry in path:
        tree = _STEPS[type(entry).__name__](tree, entry)
    return tree


# The attribute that holds the key, by kind of entry.
_KEYS = ("name", "key", "idx")
_STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "NamedTupleKey": lambda tree, entry: getattr(tree, entry.name),
    "DictKey": lambda tree, entry: tree[entry.key],
    "SequenceKey": lambda tree, entry: tree[entry.idx],
    "GetAttrKey": lambda tree, entry: getattr(tree, entry.name),
}
