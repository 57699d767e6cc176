"""Removes unused methods and fields from the classes of a recipe."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hypothesis_pytrees import Namespace, Recipe
from treelaws.compat.parsing import parse
from treelaws.core.statements import extent

from .reading import Reading, count, decides, texts_of, with_definitions, with_statements, words
from .spans import without, without_lines

# Prefixes of methods that libraries call.
_CALLED_BY_LIBRARIES = ("_", "tree_", "on_", "setup", "flatten", "unflatten")


def uncalled_methods(
    recipe: Recipe, reading: Reading, libraries: Mapping[str, Any]
) -> Iterator[Recipe]:
    """Yield the recipe without all unused methods, then without each of them.

    Args:
        recipe: the recipe, which can be built.
        reading: the names that its law reads.
        libraries: the libraries of its namespace.
    """
    found = list(_uncalled(recipe, reading, libraries))
    cuts = [found, *([one] for one in found)] if len(found) > 1 else [found]
    for cut in cuts:
        if cut:
            texts = [
                without_lines(text, [extent(node) for place, node in cut if place == index])
                for index, text in enumerate(recipe.definitions)
            ]
            yield with_definitions(recipe, texts)


def _uncalled(
    recipe: Recipe, reading: Reading, libraries: Mapping[str, Any]
) -> Iterator[tuple[int, ast.FunctionDef]]:
    scope: dict[str, Any] = {}
    for index, cls in _classes(recipe):
        methods = [
            node
            for node in cls.body
            if isinstance(node, ast.FunctionDef) and _is_unused(node, recipe, reading)
        ]
        # A class needs a body.
        if not methods or len(methods) == len(cls.body) or not _only_made(cls.name, recipe):
            continue
        scope = scope or Namespace(**libraries).run(recipe)
        bases = scope[cls.name].__mro__[1:]
        for node in methods:
            if not any(hasattr(base, node.name) for base in bases):
                yield index, node


def _is_unused(node: ast.FunctionDef, recipe: Recipe, reading: Reading) -> bool:
    """Return whether a method is mentioned neither in the recipe nor in the law."""
    abstract = any("abstract" in word for one in node.decorator_list for word in [ast.unparse(one)])
    return (
        not abstract
        and not node.name.startswith(_CALLED_BY_LIBRARIES)
        and node.name not in reading.words
        and count(node.name, texts_of(recipe)) == 1
    )


def _classes(recipe: Recipe) -> Iterator[tuple[int, ast.ClassDef]]:
    for index, text in enumerate(recipe.definitions):
        for node in parse(text).body:
            if isinstance(node, ast.ClassDef):
                yield index, node


def _only_made(name: str, recipe: Recipe) -> bool:
    """Return whether the statements only call a class, so that the law gets instances of it."""
    named = called = 0
    for text in (*recipe.statements, recipe.expression):
        nodes = list(ast.walk(parse(text)))
        called += sum(isinstance(one, ast.Call) and _is(one.func, name) for one in nodes)
        named += count(name, [text])
    return named == called


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def unread_fields(recipe: Recipe, reading: Reading) -> Iterator[Recipe]:
    """Yield the recipe without an unused field and its arguments.

    Only for simple classes: no base class from the recipe, only methods that are called by name,
    and no other mention of the class.
    """
    for index, cls in _classes(recipe):
        if not _is_plain(cls, recipe, index) or not decides(cls.name, recipe, reading):
            continue
        fields = [node for node in cls.body if _is_field(node)]
        for place, field in enumerate(fields):
            if len(fields) > 1 and _is_unread(_name_of(field), cls.name, recipe, reading):
                yield from _without_field(recipe, index, cls.name, field, place)


def _is_field(node: ast.stmt) -> bool:
    plain = isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    return plain and "ClassVar" not in ast.unparse(node)


def _name_of(field: ast.stmt) -> str:
    assert isinstance(field, ast.AnnAssign)
    assert isinstance(field.target, ast.Name)
    return field.target.id


def _is_plain(cls: ast.ClassDef, recipe: Recipe, index: int) -> bool:
    own = {name for i, node in _classes(recipe) for name in [node.name] if i != index}
    bases = words(*(ast.unparse(base) for base in cls.bases))
    methods = [node.name for node in cls.body if isinstance(node, ast.FunctionDef)]
    special = [name for name in methods if name.startswith(_CALLED_BY_LIBRARIES)]
    alone = count(cls.name, recipe.definitions) == 1
    return alone and not special and not bases & own and _only_made(cls.name, recipe)


def _calls(text: str, name: str) -> Iterator[ast.Call]:
    for one in ast.walk(parse(text)):
        if isinstance(one, ast.Call) and _is(one.func, name):
            yield one


def _is_unread(name: str, cls: str, recipe: Recipe, reading: Reading) -> bool:
    keywords = [
        keyword.arg
        for text in recipe.statements
        for call in _calls(text, cls)
        for keyword in call.keywords
    ]
    mentions = count(name, texts_of(recipe)) - keywords.count(name)
    return mentions == 1 and name not in reading.words


def _without_field(
    recipe: Recipe, index: int, cls: str, field: ast.stmt, place: int
) -> Iterator[Recipe]:
    definitions = list(recipe.definitions)
    definitions[index] = without_lines(definitions[index], [extent(field)])
    # Removing an argument moves later calls in the same statement, so only one call is handled.
    if any(len(list(_calls(text, cls))) > 1 for text in recipe.statements):
        return
    statements = [_call_without(text, cls, field, place) for text in recipe.statements]
    if None not in statements:
        kept = [text for text in statements if text is not None]
        yield with_statements(with_definitions(recipe, definitions), kept)


def _call_without(text: str, cls: str, field: ast.stmt, place: int) -> str | None:
    """Remove an argument from the call of a class; return `None` if it cannot be found."""
    for call in _calls(text, cls):
        arguments: Iterable[ast.AST] = [*call.args, *call.keywords]
        if any(isinstance(one, ast.Starred) for one in call.args):
            return None
        if any(keyword.arg is None for keyword in call.keywords):
            return None
        names = [keyword.arg for keyword in call.keywords]
        if place < len(call.args):
            return without(text, list(arguments), place)
        if _name_of(field) in names:
            return without(text, list(arguments), len(call.args) + names.index(_name_of(field)))
    return text
