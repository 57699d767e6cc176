"""Finds the source text of functions, classes and constants of this project."""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib
import importlib.util
from collections.abc import Iterable
from pathlib import Path

from treelaws.compat.parsing import parse
from treelaws.core.statements import bound_by, name_of

from .syntax import Edit, loaded, stored

_OWN = ("treelaws", "hypothesis_pytrees")
_DEFINING = (
    *(ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign),
    *(ast.Import, ast.ImportFrom),
)


# Compared by identity: the text of a file is long, and the syntax trees of two files differ.
@dataclasses.dataclass(frozen=True, eq=False)
class File:
    """A module of this project, parsed.

    Args:
        name: its dotted name.
        lines: its lines.
        tree: its syntax tree.
    """

    name: str
    lines: tuple[str, ...]
    tree: ast.Module

    def text(self, first: int, last: int, edits: Iterable[Edit] = ()) -> str:
        """Return the lines from `first` to `last`, counted from 1, after some edits."""
        lines: list[bytes | None] = [line.encode() for line in self.lines[first - 1 : last]]
        for edit in sorted(set(edits), key=lambda one: one.start, reverse=True):
            top, bottom = edit.start[0] - first, edit.end[0] - first
            head, tail = lines[top], lines[bottom]
            if edit.text is None or head is None or tail is None:
                lines[top : bottom + 1] = [None]
                continue
            line = head[: edit.start[1]] + edit.text.encode() + tail[edit.end[1] :]
            lines[top : bottom + 1] = [line]
        return "\n".join(line.decode() for line in lines if line is not None)

    @functools.cached_property
    def statements(self) -> dict[str, ast.stmt]:
        """The top-level statements that define names, by name."""
        # The rest, such as a loop, does something to names that these bind.
        defining = [node for node in self.tree.body if isinstance(node, _DEFINING)]
        return {name: node for node in defining for name in bound_by(node)}

    @functools.cached_property
    def locals(self) -> frozenset[str]:
        """The names of its local variables and parameters."""
        scopes = (ast.FunctionDef, ast.ClassDef)
        nodes = [node for node in self.tree.body if isinstance(node, scopes)]
        return frozenset(name for node in nodes for name in stored(node))

    def completing(self, name: str) -> list[ast.stmt]:
        """List the top-level loops that read a class or a function of this module."""
        loops = [node for node in self.tree.body if isinstance(node, ast.For)]
        return [node for node in loops if name in loaded(node)]


@functools.cache
def file_of(module: str) -> File:
    """Parse a module of this project."""
    # A user's own law stands in a test module, which is loaded and may be on no path.
    file = importlib.import_module(module).__file__
    assert file is not None
    text = Path(file).read_text(encoding="utf-8")
    return File(module, tuple(text.splitlines()), parse(text))


@dataclasses.dataclass(frozen=True)
class Piece:
    """The definition of a global name: a statement, an import, or a module of this project.

    Args:
        name: the name where it is defined.
        module: the module of this project that defines it, or that it stands for.
        node: the statement that defines it.
        line: the import statement, if another project defines it.
    """

    name: str
    module: str = ""
    node: ast.stmt | None = None
    line: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Identifies the piece."""
        return self.module, self.name

    @property
    def origin(self) -> str:
        """The import statement of the object that an import binds."""
        # `import a.b` binds `a`.
        whole = self.line.startswith("from ") or " as " in self.line
        return self.line if whole else self.line.partition(".")[0]

    def line_as(self, name: str) -> str:
        """Return the import statement that binds another name."""
        return self.line if name == self.name else f"{self.line.partition(' as ')[0]} as {name}"


@functools.cache
def find(module: str, name: str) -> Piece | None:
    """Follow a global name of a module of this project to where it is defined.

    Returns:
        The piece, or `None` for a name that the module does not bind.
    """
    node = file_of(module).statements.get(name)
    if isinstance(node, ast.Import):
        alias = next(one for one in node.names if name_of(one) == name)
        return Piece(name, line=f"import {alias.name}{_renaming(alias)}")
    if isinstance(node, ast.ImportFrom):
        return _imported(module, node, name)
    return Piece(name, module, node) if node else None


def _imported(module: str, node: ast.ImportFrom, name: str) -> Piece | None:
    alias = next(one for one in node.names if name_of(one) == name)
    package = module if _is_package(module) else module.rpartition(".")[0]
    source = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
    if source == "__future__":
        return None
    if source.partition(".")[0] not in _OWN:
        return Piece(name, line=f"from {source} import {alias.name}{_renaming(alias)}")
    if _is_package(source) and importlib.util.find_spec(f"{source}.{alias.name}"):
        return Piece(name, f"{source}.{alias.name}")
    return find(source, alias.name)


def _renaming(alias: ast.alias) -> str:
    return f" as {alias.asname}" if alias.asname else ""


def _is_package(module: str) -> bool:
    return hasattr(importlib.import_module(module), "__path__")
