"""Cuts in the classes of a recipe: methods that nobody calls, fields that nobody reads."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hypothesis_pytrees import Namespace, Recipe
from treelaws.core.statements import extent

from .reading import Reading, count, decides, texts_of, with_definitions, with_statements, words
from .spans import without, without_lines

# Beginnings of names under which a library calls a method.
_CALLED_BY_LIBRARIES = ("_", "tree_", "on_", "setup", "flatten", "unflatten")


def uncalled_methods(
    recipe: Recipe, reading: Reading, libraries: Mapping[str, Any]
) -> Iterator[Recipe]:
    """Give the recipe without the methods that nobody calls: without all, without each.

    Args:
        recipe: the recipe, which can be built.
        reading: what its law reads.
        libraries: what its text sees.
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
            if isinstance(node, ast.FunctionDef) and _nobodys(node, recipe, reading)
        ]
        # A class with an empty body is no text.
        if not methods or len(methods) == len(cls.body) or not _only_made(cls.name, recipe):
            continue
        scope = scope or Namespace(**libraries).run(recipe)
        bases = scope[cls.name].__mro__[1:]
        for node in methods:
            if not any(hasattr(base, node.name) for base in bases):
                yield index, node


def _nobodys(node: ast.FunctionDef, recipe: Recipe, reading: Reading) -> bool:
    """Say whether a method has a name of its own, which neither text nor law mentions."""
    abstract = any("abstract" in word for one in node.decorator_list for word in [ast.unparse(one)])
    return (
        not abstract
        and not node.name.startswith(_CALLED_BY_LIBRARIES)
        and node.name not in reading.words
        and count(node.name, texts_of(recipe)) == 1
    )


def _classes(recipe: Recipe) -> Iterator[tuple[int, ast.ClassDef]]:
    for index, text in enumerate(recipe.definitions):
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef):
                yield index, node


def _only_made(name: str, recipe: Recipe) -> bool:
    """Say whether the law sees instances of a class, but not the class itself."""
    named = called = 0
    for text in (*recipe.statements, recipe.expression):
        nodes = list(ast.walk(ast.parse(text)))
        called += sum(isinstance(one, ast.Call) and _is(one.func, name) for one in nodes)
        named += count(name, [text])
    return named == called


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def unread_fields(recipe: Recipe, reading: Reading) -> Iterator[Recipe]:
    """Give the recipe without a field that nobody reads, nor its arguments.

    Only of classes whose text and whose calls are plain: no base of the recipe, no method but
    those that are called by name, nobody else that mentions the class.
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
    for one in ast.walk(ast.parse(text)):
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
    # One call in a text after the other, since each moves those that follow.
    if any(len(list(_calls(text, cls))) > 1 for text in recipe.statements):
        return
    statements = [_call_without(text, cls, field, place) for text in recipe.statements]
    if None not in statements:
        kept = [text for text in statements if text is not None]
        yield with_statements(with_definitions(recipe, definitions), kept)


def _call_without(text: str, cls: str, field: ast.stmt, place: int) -> str | None:
    """Take an argument out of the call of a class; give `None` where it cannot be found."""
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
