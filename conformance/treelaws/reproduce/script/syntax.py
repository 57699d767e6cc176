"""Finds the names that code reads and binds, and edits its text."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import functools
from collections.abc import Iterator, Sequence
from typing import Any

from treelaws.compat.parsing import parse
from treelaws.core.statements import bound_by

Position = tuple[int, int]


@dataclasses.dataclass(frozen=True)
class Edit:
    """A replacement of a part of a text.

    Args:
        start: line, from 1, and column in bytes, from 0, of its first character.
        end: those of the character after it.
        text: the new text; `None` deletes the lines.
    """

    start: Position
    end: Position
    text: str | None


def span(node: Any) -> tuple[Position, Position]:
    """Return where a node begins and ends."""
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


@functools.lru_cache(maxsize=4096)
def loaded(node: ast.AST) -> tuple[str, ...]:
    """Return the names that a node reads and does not bind itself, without builtins, in order."""
    names = dict.fromkeys(
        one.id
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
    )
    inner = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else node
    local = set(stored(inner)) if inner else set()
    return tuple(name for name in names if name not in local and not hasattr(builtins, name))


def stored(node: ast.AST) -> Iterator[str]:
    """Yield the names of the variables and parameters that a node binds, at any depth."""
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            yield one.id
        elif isinstance(one, ast.arg):
            yield one.arg


def defined(node: ast.AST) -> Iterator[str]:
    """Yield the names of the functions and classes that a node defines, at any depth."""
    for one in ast.walk(node):
        if isinstance(one, (ast.FunctionDef, ast.ClassDef)):
            yield one.name


def bound(texts: Sequence[str]) -> list[str]:
    """List the names that top-level code binds otherwise than by an import, in order."""
    nodes = parse("\n".join(texts)).body
    others = [node for node in nodes if not isinstance(node, (ast.Import, ast.ImportFrom))]
    return list(dict.fromkeys(name for node in others for name in bound_by(node)))


def attributes_of(name: str, node: ast.AST) -> Iterator[ast.Attribute]:
    """Yield each `name.attribute` in a node."""
    for one, owner in _attributes(node):
        if owner == name:
            yield one


@functools.lru_cache(maxsize=4096)
def _attributes(node: ast.AST) -> tuple[tuple[ast.Attribute, str], ...]:
    return tuple(
        (one, one.value.id)
        for one in ast.walk(node)
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name)
    )


def renamed(node: ast.AST, old: str, new: str) -> Iterator[Edit]:
    """Yield the edits that rename a global name, in its definition too."""
    for one in _named(node).get(old, ()):
        if isinstance(one, ast.Name):
            yield Edit(*span(one), new)
        else:
            column = one.col_offset + len("def " if isinstance(one, ast.FunctionDef) else "class ")
            yield Edit((one.lineno, column), (one.lineno, column + len(old)), new)


@functools.lru_cache(maxsize=4096)
def _named(node: ast.AST) -> dict[str, list[ast.Name | ast.FunctionDef | ast.ClassDef]]:
    """Return the names, functions and classes in a node, by name."""
    found: dict[str, list[ast.Name | ast.FunctionDef | ast.ClassDef]] = {}
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            found.setdefault(one.id, []).append(one)
        elif isinstance(one, (ast.FunctionDef, ast.ClassDef)):
            found.setdefault(one.name, []).append(one)
    return found
