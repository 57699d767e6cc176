"""Finds out which names of a recipe its law and its own text read."""

from __future__ import annotations

import ast
import dataclasses
import functools
import re
from collections.abc import Iterable, Sequence

from hypothesis_pytrees import Recipe
from hypothesis_pytrees.core.recipe import IMPORTS
from treelaws.compat.parsing import parse
from treelaws.core.law import Law

from .sources import Piece, file_of, find
from .syntax import attributes_of, bound, loaded

_WORD = re.compile(r"\w+")


@dataclasses.dataclass(frozen=True)
class Reading:
    """The names that a law reads from its case.

    Args:
        names: every attribute that it reads, of the case or of anything else.
        everything: whether it may read any name of the case, because it passes the case on.
        words: every word in the file of the law.
    """

    names: frozenset[str]
    everything: bool
    words: frozenset[str]

    def of(self, recipe: Recipe) -> frozenset[str]:
        """Return the names read, among those that the statements of a recipe bind."""
        names = frozenset(bound(recipe.statements))
        return names if self.everything else names & self.names


@functools.cache
def reading_of(law: Law) -> Reading:
    """Return the names that a law reads, from the source of the law and its helpers."""
    module = law.check.__module__
    file = file_of(module)
    node = file.statements[law.name]
    assert isinstance(node, ast.FunctionDef)
    pieces: dict[tuple[str, str], Piece] = {}
    for statement in node.body:
        _take(module, statement, pieces)
    called = [piece.node for piece in pieces.values() if piece.node]
    names = {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
    names |= {one.attr for helper in called for one in attributes_of("case", helper)}
    cases = [one for one in ast.walk(node) if isinstance(one, ast.Name) and one.id == "case"]
    # After a rebuild, and in a helper that gets the case, any name may be read.
    passes_case_on = len(cases) > len(list(attributes_of("case", node)))
    text = "\n".join(file.lines)
    return Reading(frozenset(names), passes_case_on or "rebuild" in names, words(text))


def _take(module: str, node: ast.AST, pieces: dict[tuple[str, str], Piece]) -> None:
    """Add the helpers that a node uses, and the helpers of those."""
    for name in loaded(node):
        piece = find(module, name)
        if piece is None or piece.key in pieces or piece.line:
            continue
        if piece.node is not None:
            pieces[piece.key] = piece
            _take(piece.module, piece.node, pieces)
            continue
        for one in attributes_of(name, node):
            inner = find(piece.module, one.attr)
            if inner is not None and inner.node is not None and inner.key not in pieces:
                pieces[inner.key] = inner
                _take(inner.module, inner.node, pieces)


def words(*texts: str) -> frozenset[str]:
    """Return every word in texts, including strings and comments."""
    return frozenset(word for text in texts for word in _WORD.findall(text))


def count(word: str, texts: Iterable[str]) -> int:
    """Return how often a word occurs in texts."""
    return sum(_WORD.findall(text).count(word) for text in texts)


def texts_of(recipe: Recipe) -> tuple[str, ...]:
    """Return all texts of a recipe."""
    return (*recipe.definitions, *recipe.statements, recipe.expression)


def assignment(text: str) -> tuple[str, ast.expr] | None:
    """Return name and value of a statement that only binds one name, else `None`."""
    match parse(text).body:
        case [ast.Assign(targets=[ast.Name(id=name)], value=value)]:
            return name, value
    return None


def decides(name: str, recipe: Recipe, reading: Reading) -> bool:
    """Return whether everything that the law reads is derived from one name."""
    made, empty = {name}, set[str]()
    for text in recipe.statements:
        found = assignment(text)
        if found is None:
            # It may bind or change anything.
            return False
        if words(text) & made:
            made.add(found[0])
        elif isinstance(found[1], ast.Constant) and found[1].value is None:
            empty.add(found[0])
    return reading.of(recipe) <= made | empty and not recipe.expression


def run_now(node: ast.AST) -> Iterable[ast.AST]:
    """Yield the parts of an expression that run immediately, so not the body of a lambda."""
    yield node
    if not isinstance(node, ast.Lambda):
        for child in ast.iter_child_nodes(node):
            yield from run_now(child)


def root(node: ast.AST) -> str:
    """Return the first name of a dotted name; empty for anything else."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def from_library(node: ast.AST) -> bool:
    """Return whether a node is a dotted name of a library."""
    return isinstance(node, ast.Attribute) and root(node) in IMPORTS


def with_statements(recipe: Recipe, statements: Sequence[str]) -> Recipe:
    """Return a recipe with other statements."""
    return dataclasses.replace(recipe, statements=tuple(statements))


def with_definitions(recipe: Recipe, definitions: Iterable[str]) -> Recipe:
    """Return a recipe with other definitions, without empty ones."""
    kept = tuple(text for text in definitions if text.strip())
    return dataclasses.replace(recipe, definitions=kept)
