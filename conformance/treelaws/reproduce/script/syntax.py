"""Which names a stretch of code reads and binds, and edits of its text."""

from __future__ import annotations

import ast
import builtins
import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

Position = tuple[int, int]
# What has variables of its own.
_SCOPES = (
    *(ast.FunctionDef, ast.Lambda, ast.ClassDef),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


@dataclasses.dataclass(frozen=True)
class Edit:
    """A stretch of text to be replaced.

    Args:
        start: line, from 1, and column in bytes, from 0, of its first character.
        end: those of the character after it.
        text: what stands there instead; `None` takes the lines out.
    """

    start: Position
    end: Position
    text: str | None


def span(node: Any) -> tuple[Position, Position]:
    """Give where a node begins and ends."""
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def loaded(node: ast.AST) -> list[str]:
    """List the names that a node reads and does not bind itself, builtins left out, in order."""
    names = dict.fromkeys(
        one.id
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
    )
    inner = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else node
    local = set(stored(inner)) if inner else set()
    return [name for name in names if name not in local and not hasattr(builtins, name)]


def stored(node: ast.AST) -> Iterator[str]:
    """Give the names of the variables and parameters that a node binds, at any depth."""
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            yield one.id
        elif isinstance(one, ast.arg):
            yield one.arg


def defined(node: ast.AST) -> Iterator[str]:
    """Give the names of the functions and classes that a node defines, at any depth."""
    for one in ast.walk(node):
        if isinstance(one, (ast.FunctionDef, ast.ClassDef)):
            yield one.name


def own(node: ast.AST) -> Iterator[ast.AST]:
    """Walk through a statement, but not into what has variables of its own."""
    yield node
    if not isinstance(node, _SCOPES):
        for child in ast.iter_child_nodes(node):
            yield from own(child)


def bound(texts: Sequence[str]) -> list[str]:
    """List the names that top-level code binds, in order."""
    names: dict[str, None] = {}
    for node in ast.parse("\n".join(texts)).body:
        for one in own(node):
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
                names[one.id] = None
            elif isinstance(one, (ast.FunctionDef, ast.ClassDef)):
                names[one.name] = None
    return list(names)


def attributes_of(name: str, node: ast.AST) -> Iterator[ast.Attribute]:
    """Give each `name.attribute` in a node."""
    for one in ast.walk(node):
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name):
            yield from [one] * (one.value.id == name)


def renamed(node: ast.AST, old: str, new: str) -> Iterator[Edit]:
    """Give the edits that call a global name something else, where it is defined too."""
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and one.id == old:
            yield Edit(*span(one), new)
        elif isinstance(one, (ast.FunctionDef, ast.ClassDef)) and one.name == old:
            column = one.col_offset + len("def " if isinstance(one, ast.FunctionDef) else "class ")
            yield Edit((one.lineno, column), (one.lineno, column + len(old)), new)
