"""Names that a statement binds, and the lines that it takes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

# Nodes with variables of their own.
_SCOPES = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def own(node: ast.AST) -> Iterator[ast.AST]:
    """Walk through a statement, but not into nodes with variables of their own."""
    yield node
    if not isinstance(node, _SCOPES):
        for child in ast.iter_child_nodes(node):
            yield from own(child)


def bound_by(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement binds in the scope in which it stands."""
    for one in own(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            yield one.id
        elif isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield one.name
        elif isinstance(one, (ast.Import, ast.ImportFrom)):
            yield from map(name_of, one.names)


def name_of(alias: ast.alias) -> str:
    """Return the name that one part of an import statement binds."""
    return alias.asname or alias.name.partition(".")[0]


def extent(node: Any) -> tuple[int, int]:
    """Return the first line of a statement, decorators included, and its last line."""
    above = [one.lineno for one in getattr(node, "decorator_list", ())]
    return min([node.lineno, *above]), node.end_lineno
