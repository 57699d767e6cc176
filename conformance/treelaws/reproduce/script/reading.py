"""What is read of a recipe: by its law, and by the rest of its own text."""

from __future__ import annotations

import ast
import dataclasses
import functools
import re
from collections.abc import Iterable, Sequence

from hypothesis_pytrees import Recipe
from hypothesis_pytrees.core.recipe import IMPORTS
from treelaws.core.law import Law

from .sources import Piece, file_of, find
from .syntax import attributes_of, bound, loaded

_WORD = re.compile(r"\w+")


@dataclasses.dataclass(frozen=True)
class Reading:
    """What a law reads of its case.

    Args:
        names: every attribute that it reads, of the case or of anything else.
        everything: it may read any name that the case binds, since it hands the case on.
        words: every word in the file of the law.
    """

    names: frozenset[str]
    everything: bool
    words: frozenset[str]

    def of(self, recipe: Recipe) -> frozenset[str]:
        """Give the names among those that the statements of a recipe bind."""
        names = frozenset(bound(recipe.statements))
        return names if self.everything else names & self.names


@functools.cache
def reading_of(law: Law) -> Reading:
    """Tell what a law reads, from the source text of the law and of its helpers."""
    module = law.check.__module__
    file = file_of(module)
    node = dict(file.statements())[law.name]
    assert isinstance(node, ast.FunctionDef)
    pieces: dict[tuple[str, str], Piece] = {}
    for statement in node.body:
        _take(module, statement, pieces)
    called = [piece.node for piece in pieces.values() if piece.node]
    names = {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
    names |= {one.attr for helper in called for one in attributes_of("case", helper)}
    cases = [one for one in ast.walk(node) if isinstance(one, ast.Name) and one.id == "case"]
    # What is built anew, and what a helper is given, may be read under any name.
    passes_case_on = len(cases) > len(list(attributes_of("case", node)))
    text = "\n".join(file.lines)
    return Reading(frozenset(names), passes_case_on or "rebuild" in names, words(text))


def _take(module: str, node: ast.AST, pieces: dict[tuple[str, str], Piece]) -> None:
    """Add what a node needs of this project, and what that needs in turn."""
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
    """Give every word in texts, those in strings and comments too."""
    return frozenset(word for text in texts for word in _WORD.findall(text))


def count(word: str, texts: Iterable[str]) -> int:
    """Tell how often a word stands in texts."""
    return sum(_WORD.findall(text).count(word) for text in texts)


def texts_of(recipe: Recipe) -> tuple[str, ...]:
    """Give all texts of a recipe."""
    return (*recipe.definitions, *recipe.statements, recipe.expression)


def assignment(text: str) -> tuple[str, ast.expr] | None:
    """Give name and value of a statement that binds one name and does nothing else."""
    match ast.parse(text).body:
        case [ast.Assign(targets=[ast.Name(id=name)], value=value)]:
            return name, value
    return None


def decides(name: str, recipe: Recipe, reading: Reading) -> bool:
    """Say whether all that the law reads is made of what one name stands for."""
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
    """Walk through the parts of an expression that run where it stands."""
    yield node
    if not isinstance(node, ast.Lambda):
        for child in ast.iter_child_nodes(node):
            yield from run_now(child)


def root(node: ast.AST) -> str:
    """Give the first name of a dotted one; empty for anything else."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def from_library(node: ast.AST) -> bool:
    """Say whether a function is called by the name that a library gives it."""
    return isinstance(node, ast.Attribute) and root(node) in IMPORTS


def with_statements(recipe: Recipe, statements: Sequence[str]) -> Recipe:
    """Give a recipe with other statements."""
    return dataclasses.replace(recipe, statements=tuple(statements))


def with_definitions(recipe: Recipe, definitions: Iterable[str]) -> Recipe:
    """Give a recipe with other definitions, the empty ones left out."""
    kept = tuple(text for text in definitions if text.strip())
    return dataclasses.replace(recipe, definitions=kept)
