"""Removes unused definitions and statements; the values that the law reads stay the same."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from hypothesis_pytrees import Recipe
from treelaws.compat.parsing import parse
from treelaws.core.statements import bound_by

from .reading import (
    Reading,
    assignment,
    count,
    from_library,
    run_now,
    texts_of,
    with_definitions,
    with_statements,
    words,
)
from .syntax import bound

# Expressions that store a value without reading it.
_HOLDING = (
    *(ast.Name, ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Lambda),
    ast.expr_context,
)


@dataclasses.dataclass(frozen=True)
class _Part:
    """A top-level statement of a definition, with the comments above it."""

    text: str
    names: frozenset[str]
    # Whether it may have side effects, such as registering a class.
    acts: bool


def unread_definitions(recipe: Recipe, reading: Reading) -> Iterator[Recipe]:
    """Yield the recipe without all unused definitions, then without each of them."""
    texts = [_parts(text) for text in recipe.definitions]
    parts = [part for text in texts for part in text]
    kept = _needed(parts, {*words(*recipe.statements, recipe.expression), *reading.names})
    unread = [part for part in parts if part not in kept]
    for cut in (unread, *([part] for part in unread)):
        if cut:
            yield with_definitions(recipe, (_left(text, cut) for text in texts))


def _left(parts: list[_Part], cut: list[_Part]) -> str:
    kept = "".join(part.text for part in parts if part not in cut)
    # Without the blank lines around the removed parts.
    return kept if all(part not in cut for part in parts) else kept.strip("\n") + "\n"


def _parts(text: str) -> list[_Part]:
    nodes = parse(text).body
    lines = text.splitlines(keepends=True)
    ends = [node.end_lineno or 0 for node in nodes]
    starts = [0, *ends[:-1]]
    if not nodes or len(set(ends)) < len(ends):
        return [_Part(text, frozenset(bound([text])), acts=True)]
    ends[-1:] = [len(lines)]
    return [
        _Part("".join(lines[start:end]), frozenset(bound_by(node)), _acts(node))
        for node, start, end in zip(nodes, starts, ends, strict=True)
    ]


def _acts(node: ast.stmt) -> bool:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)):
        return False
    return not isinstance(node, (ast.Assign, ast.AnnAssign)) or any(
        isinstance(one, (ast.Call, ast.Attribute, ast.Subscript)) for one in run_now(node)
    )


def _needed(parts: list[_Part], read: set[str]) -> list[_Part]:
    defined = frozenset[str]().union(*(part.names for part in parts))
    read, kept = set(read), list[_Part]()
    while True:
        more = [
            part
            for part in parts
            if part not in kept
            and (part.names & read or (part.acts and _touches(part, defined, read)))
        ]
        if not more:
            return kept
        kept += more
        read |= words(*(part.text for part in more))


def _touches(part: _Part, defined: frozenset[str], read: set[str]) -> bool:
    # A statement that mentions no definition has an effect that cannot be seen here.
    mentioned = (words(part.text) & defined) - part.names
    return bool(mentioned & read) or not (mentioned or part.names)


def unread_statements(recipe: Recipe, reading: Reading) -> Iterator[Recipe]:
    """Yield the recipe without a statement whose value is unused."""
    read = reading.of(recipe)
    names = bound(recipe.statements)
    for index, text in enumerate(recipe.statements):
        found = assignment(text)
        if found is None or found[0] in read or count(found[0], texts_of(recipe)) > 1:
            continue
        if _only_makes(found[1], {name for name in names if name != found[0]}):
            statements = recipe.statements
            yield with_statements(recipe, statements[:index] + statements[index + 1 :])


def _only_makes(value: ast.expr, names: set[str]) -> bool:
    """Return whether an expression cannot change values of other statements."""
    nodes = list(run_now(value))
    if any(isinstance(one, ast.Name) and one.id in names for one in nodes):
        # Reading an attribute may run a property, which may have side effects.
        return all(isinstance(one, _HOLDING) for one in nodes)
    return all(from_library(one.func) for one in nodes if isinstance(one, ast.Call))
