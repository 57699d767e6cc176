"""What equality of Flax NNX graphs means: types, values, metadata, and what is shared."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

import jax.tree_util as jtu

from treelaws.compat import nnx as nnx_api
from treelaws.core.mismatch import Mismatch, shown
from treelaws.equality import leaf_difference

Path = tuple[Any, ...]
# What kind of thing stands at a path, and what tells two of that kind apart.
Row = tuple[Path, str, Any]
_OBJECTS = {"GraphNode", "Object", "Pytree"}
_VARIABLES = {"Variable", "VariableState"}
# Attributes of the library's own, such as the trace in which a module was made.
_INTERNAL = ("_object__", "_pytree__", "_graph_node__")


@functools.cache
def kind_of(cls: type) -> str:
    """Say what a type is to NNX: `"object"`, `"variable"`, `"state"`, or `""` for anything else."""
    # By name, since a law reaches the library as `lib` alone, which a mutant may have patched.
    names = {base.__name__ for base in cls.__mro__ if base.__module__.startswith("flax.nnx")}
    if names & _VARIABLES:
        return "variable"
    if names & _OBJECTS:
        return "object"
    return "state" if "State" in names else ""


def described(node: Any) -> list[Row]:
    """List what a graph holds, node by node, each reference followed once.

    Modules and Variables are told apart by identity: where one stands for the second time, the row
    names the place of the first. Everything else is a value, described each time anew.

    Args:
        node: a module, a Variable, a State, or any PyTree of them.
    """
    return list(_rows(node, (), {}))


def references(node: Any) -> list[tuple[Path, Any]]:
    """List the modules and Variables of a graph with the first path to each."""
    seen: dict[int, tuple[Path, Any]] = {}
    for _ in _rows(node, (), seen):
        pass
    return list(seen.values())


def variables_of(node: Any) -> list[tuple[Path, Any]]:
    """List the Variables of a graph with the first path to each."""
    return [(path, one) for path, one in references(node) if kind_of(type(one)) == "variable"]


def same_graph(got: Any, wanted: Any) -> None:
    """Demand that two graphs are equal.

    They hold modules of the same types with the same attributes, Variables of the same types with
    the same values and metadata, and references are shared in the same pattern.

    Args:
        got: what the subject gave.
        wanted: what it should have given.

    Raises:
        Mismatch: they differ; it names the first difference.
    """
    same_rows(described(got), described(wanted))


def same_rows(got: list[Row], wanted: list[Row]) -> None:
    """Demand that two descriptions are equal, for example that of a graph before and after.

    Raises:
        Mismatch: they differ; it names the first difference.
    """
    for one, other in zip(got, wanted, strict=False):
        aspect = _difference(one, other)
        if aspect is not None:
            raise Mismatch(_named(other[0]), aspect, _printed(one), _printed(other))
    if len(got) != len(wanted):
        raise Mismatch("", "number of entries", str(len(got)), str(len(wanted)))


def same_references(got: list[tuple[Path, Any]], wanted: list[tuple[Path, Any]]) -> None:
    """Demand that two lists of `references` hold the very same objects in the same order.

    Raises:
        Mismatch: they do not; it names the place of the first other object.
    """
    if len(got) != len(wanted):
        raise Mismatch("", "number of references", str(len(got)), str(len(wanted)))
    for (_, one), (path, other) in zip(got, wanted, strict=True):
        if one is not other:
            raise Mismatch(_named(path), "identity", shown(one), f"the very {shown(other)}")


def apart(one: Any, other: Any) -> None:
    """Demand that two graphs share no module and no Variable.

    Raises:
        Mismatch: they share one; it names its place in the second.
    """
    mine = {id(found): path for path, found in references(one)}
    for path, found in references(other):
        if id(found) in mine:
            raise Mismatch(_named(path), "identity", "one object in both", "two objects")


def _rows(node: Any, path: Path, seen: dict[int, tuple[Path, Any]]) -> Iterator[Row]:
    kind = kind_of(type(node))
    if kind in ("object", "variable"):
        if id(node) in seen:
            yield path, "shared", seen[id(node)][0]
            return
        seen[id(node)] = (path, node)
    if kind == "object":
        # Flax 0.12.1 and 0.12.2 keep the items of a List under integers.
        held = {str(name): value for name, value in vars(node).items()}
        attributes = {name: value for name, value in held.items() if not name.startswith(_INTERNAL)}
        yield path, "object", (type(node), tuple(sorted(attributes)), _data_names(node))
        for name in sorted(attributes):
            yield from _rows(attributes[name], (*path, name), seen)
    elif kind == "variable":
        metadata = nnx_api.metadata(node)
        yield path, "variable", (nnx_api.type_of(node), tuple(sorted(metadata)))
        for name in sorted(metadata):
            yield (*path, name), "metadata", metadata[name]
        yield from _rows(nnx_api.raw_value(node), (*path, "value"), seen)
    elif kind == "state" or (isinstance(node, Mapping) and type(node) is dict):
        yield path, "mapping", (type(node), frozenset(node))
        for key in sorted(node, key=repr):
            yield from _rows(node[key], (*path, key), seen)
    else:
        yield from _values(node, path, seen)


def _values(node: Any, path: Path, seen: dict[int, tuple[Path, Any]]) -> Iterator[Row]:
    children, structure = _one_level(node)
    if jtu.treedef_is_leaf(structure):
        yield path, "leaf", node
        return
    yield path, "structure", structure
    for keys, child in children:
        yield from _rows(child, (*path, jtu.keystr(keys)), seen)


def _data_names(node: Any) -> tuple[str, ...] | None:
    """Name the attributes of a module that are data; `None` where its release has no PyTrees."""
    children, structure = _one_level(node)
    if jtu.treedef_is_leaf(structure):
        return None
    return tuple(jtu.keystr(path) for path, _ in children)


def _one_level(node: Any) -> tuple[list[tuple[Any, Any]], Any]:
    if kind_of(type(node)) != "object":
        return jtu.tree_flatten_with_path(node, is_leaf=lambda inner: inner is not node)
    # A module may hold itself.
    asked = iter((False,))
    return jtu.tree_flatten_with_path(node, is_leaf=lambda _: next(asked, True))


def _difference(one: Row, other: Row) -> str | None:
    if one[0] != other[0]:
        return "place"
    if one[1] != other[1]:
        return "kind"
    if one[1] in ("leaf", "metadata"):
        return leaf_difference(one[2], other[2]) and f"{one[1]} {leaf_difference(one[2], other[2])}"
    return None if one[2] == other[2] else one[1]


def _named(path: Path) -> str:
    return "".join(f".{part}" if isinstance(part, str) else f"[{part!r}]" for part in path)


def _printed(row: Row) -> str:
    return f"{row[1]} {shown(row[2])}" + (f" at {_named(row[0])}" if row[0] else "")
