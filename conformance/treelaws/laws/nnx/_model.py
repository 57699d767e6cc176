"""Equality of Flax NNX graphs: types, values, metadata and shared references."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

import jax.tree_util as jtu

from treelaws.compat import nnx as nnx_api
from treelaws.core.mismatch import Mismatch, shown
from treelaws.equality import leaf_difference

Path = tuple[Any, ...]
# A path, the kind of the entry there, and the value that is compared.
Row = tuple[Path, str, Any]
_OBJECTS = {"GraphNode", "Object", "Pytree"}
_VARIABLES = {"Variable", "VariableState"}
# Prefixes of attributes that Flax adds, such as the trace in which a module was made.
_INTERNAL = ("_object__", "_pytree__", "_graph_node__")


@functools.cache
def kind_of(cls: type) -> str:
    """Return the role of a type in NNX: `"object"`, `"variable"`, `"state"`, or `""` for others."""
    # By name: laws must not import Flax, and a mutant may have patched the classes in `lib`.
    names = {base.__name__ for base in cls.__mro__ if base.__module__.startswith("flax.nnx")}
    if names & _VARIABLES:
        return "variable"
    if names & _OBJECTS:
        return "object"
    return "state" if "State" in names else ""


def described(node: Any) -> list[Row]:
    """List the contents of a graph node by node, following each reference once.

    Modules and Variables are compared by identity: if one occurs again, its row holds the path of
    the first occurrence. All other nodes are values and are listed at each occurrence.

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
    """Check that two graphs are equal.

    Equal graphs hold modules of the same types with the same attributes, Variables of the same
    types with the same values and metadata, and the same pattern of shared references.

    Args:
        got: the graph that the subject returned.
        wanted: the expected graph.

    Raises:
        Mismatch: they differ; it names the first difference.
    """
    same_rows(described(got), described(wanted))


def same_rows(got: list[Row], wanted: list[Row]) -> None:
    """Check that two results of `described` are equal, for example before and after a call.

    Raises:
        Mismatch: they differ; it names the first difference.
    """
    for one, other in zip(got, wanted, strict=False):
        aspect = _difference(one, other)
        if aspect is not None:
            raise Mismatch(_path_text(other[0]), aspect, _printed(one), _printed(other))
    if len(got) != len(wanted):
        raise Mismatch("", "number of entries", str(len(got)), str(len(wanted)))


def same_references(got: list[tuple[Path, Any]], wanted: list[tuple[Path, Any]]) -> None:
    """Check that two results of `references` hold the same objects in the same order.

    Raises:
        Mismatch: they do not; it names the path of the first other object.
    """
    if len(got) != len(wanted):
        raise Mismatch("", "number of references", str(len(got)), str(len(wanted)))
    for (_, one), (path, other) in zip(got, wanted, strict=True):
        if one is not other:
            raise Mismatch(
                _path_text(path), "identity", shown(one), f"the same object, {shown(other)}"
            )


def apart(one: Any, other: Any) -> None:
    """Check that two graphs share no module and no Variable.

    Raises:
        Mismatch: they share one; it names its path in the second.
    """
    mine = {id(found): path for path, found in references(one)}
    for path, found in references(other):
        if id(found) in mine:
            raise Mismatch(_path_text(path), "identity", "one object in both", "two objects")


def _rows(node: Any, path: Path, seen: dict[int, tuple[Path, Any]]) -> Iterator[Row]:
    kind = kind_of(type(node))
    if kind in ("object", "variable"):
        if id(node) in seen:
            yield path, "shared", seen[id(node)][0]
            return
        seen[id(node)] = (path, node)
    if kind == "object":
        # Flax 0.12.1 and 0.12.2 store the items of a List under integer names.
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
    """Return the paths of data attributes; `None` if modules are not PyTrees in this release."""
    children, structure = _one_level(node)
    if jtu.treedef_is_leaf(structure):
        return None
    return tuple(jtu.keystr(path) for path, _ in children)


def _one_level(node: Any) -> tuple[list[tuple[Any, Any]], Any]:
    if kind_of(type(node)) != "object":
        return jtu.tree_flatten_with_path(node, is_leaf=lambda inner: inner is not node)
    # Only the root, asked about first, is split: comparing by identity fails for cycles.
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


def _path_text(path: Path) -> str:
    return "".join(f".{part}" if isinstance(part, str) else f"[{part!r}]" for part in path)


def _printed(row: Row) -> str:
    return f"{row[1]} {shown(row[2])}" + (f" at {_path_text(row[0])}" if row[0] else "")
