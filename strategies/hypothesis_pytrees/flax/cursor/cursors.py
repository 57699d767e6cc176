"""Trees for `flax.cursor`, with paths into them, changes to make there, and a model of both.

A step of a path is the name of an attribute, or a list with the key or index of an item.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import jax.tree_util as jtu

Step = str | list[Any]
Path = tuple[Step, ...]


def is_named_tuple(node: Any) -> bool:
    """Return whether a node is a named tuple."""
    return isinstance(node, tuple) and hasattr(node, "_fields")


def is_sequence(node: Any) -> bool:
    """Return whether a node is a list or a tuple without names."""
    return isinstance(node, (list, tuple)) and not is_named_tuple(node)


def is_copied(node: Any) -> bool:
    """Return whether a cursor copies a node with its changes."""
    return isinstance(node, (Mapping, list, tuple)) or dataclasses.is_dataclass(node)


def steps_of(node: Any) -> list[Step]:
    """Return a step for each child of a dict, list, tuple, named tuple or dataclass, in order."""
    if isinstance(node, Mapping):
        return [[key] for key in node]
    if is_named_tuple(node):
        return list(node._fields)
    if is_sequence(node):
        return [[index] for index in range(len(node))]
    if dataclasses.is_dataclass(node) and not isinstance(node, type):
        return [field.name for field in dataclasses.fields(node) if field.init]
    return []


def child_at(node: Any, step: Step) -> Any:
    """Return the child, or the child cursor, to which a step leads."""
    return getattr(node, step) if isinstance(step, str) else node[step[0]]


def reached(node: Any, path: Sequence[Step]) -> Any:
    """Return what stands at the end of a path, or the cursor of it."""
    for step in path:
        node = child_at(node, step)
    return node


def plain(node: Any, path: Sequence[Step]) -> list[Step]:
    """Return a path with the fields of named tuples by name, and with positive indices.

    The last step may be a new entry.
    """
    steps: list[Step] = []
    for step in path:
        node = child_at(node, path[len(steps) - 1]) if steps else node
        place = step
        if isinstance(node, (list, tuple)) and not isinstance(step, str):
            place = steps_of(node)[step[0]]
        steps.append(place)
    return steps


def assign(node: Any, path: Sequence[Step], value: Any) -> None:
    """Assign a value at the end of a path, in place."""
    parent, step = reached(node, path[:-1]), path[-1]
    if isinstance(step, str):
        setattr(parent, step, value)
    else:
        parent[step[0]] = value


def edited(tree: Any, edits: Sequence[tuple[Path, Any]]) -> Any:
    """Return a copy of a tree with a value put at each path, one after the other."""
    for path, value in edits:
        tree = _put(tree, path, value)
    return tree


def _put(node: Any, path: Sequence[Step], value: Any) -> Any:
    if not path:
        return value
    step, *rest = path
    return _with(node, step, _put(child_at(node, step), rest, value) if rest else value)


def _with(node: Any, step: Step, value: Any) -> Any:
    """Return a copy of a node with another child."""
    if isinstance(step, str):
        change = node._replace if is_named_tuple(node) else _replace(node)
        return change(**{step: value})
    if type(node).__name__ == "FrozenDict":
        return type(node)({**node, step[0]: value})
    if isinstance(node, tuple):
        items = list(node)
        items[step[0]] = value
        return type(node)(*items) if is_named_tuple(node) else type(node)(items)
    node = copy.copy(node)
    node[step[0]] = value
    return node


def _replace(node: Any) -> Callable[..., Any]:
    return lambda **changes: dataclasses.replace(node, **changes)


def places(
    tree: Any, path: Path = (), *, until: Collection[str] = ()
) -> Iterator[tuple[Path, Any]]:
    """Yield the path and the value of everything below the root, parents before children.

    Args:
        tree: the tree.
        path: the path of the tree in another one.
        until: texts of paths below which nothing is yielded.
    """
    for step in steps_of(tree):
        child, inner = child_at(tree, step), (*path, step)
        yield inner, child
        if text_of(inner) not in until:
            yield from places(child, inner, until=until)


def text_of(path: Sequence[Step]) -> str:
    """Return a path as `apply_update` and `find` pass it to functions."""
    return "/".join(str(step if isinstance(step, str) else step[0]) for step in path)


def earliest(tree: Any, chosen: Sequence[str]) -> list[tuple[Path, Any]]:
    """Return the chosen places that are in no other chosen place.

    Args:
        tree: the tree.
        chosen: texts of paths.
    """
    found = list(places(tree, until=chosen))
    return [(path, value) for path, value in found if text_of(path) in chosen]


def is_data(tree: Any, path: Path) -> bool:
    """Return whether a path leads to leaves of the tree, or to where leaves can be put."""
    marker = object()
    try:
        leaves = jtu.tree_leaves(edited(tree, [(path, marker)]))
    except Exception:
        # A class may refuse a value with any error.
        return False
    return any(leaf is marker for leaf in leaves)
