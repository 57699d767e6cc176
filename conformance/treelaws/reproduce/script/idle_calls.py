"""Removes calls that returned their argument, and names that are only aliases."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import re
from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis_pytrees import Namespace, Recipe
from hypothesis_pytrees.core.recipe import IMPORTS
from treelaws.compat.parsing import parse

from .reading import Reading, assignment, count, from_library, texts_of, with_statements

# A name that no recipe binds.
_BEFORE = "value_before_the_call"
# Builtins with side effects.
_ACTING = ("setattr", "delattr", "next", "exec", "eval", "print", "input", "open", "__import__")


def idle_calls(recipe: Recipe, libraries: Mapping[str, Any]) -> Iterator[Recipe]:
    """Yield the recipe without a call that returned its own argument.

    Only calls of functions without side effects are removed, such as those that swap leaves.
    """
    for index, text in enumerate(recipe.statements):
        match assignment(text):
            case name, ast.Call(func=ast.Name(id=function), args=[ast.Name(id=given)], keywords=[]):
                if _changes_nothing(function, recipe) and _gives_back(
                    recipe, index, name, given, libraries
                ):
                    call = [f"{name} = {given}"] * (name != given)
                    statements = recipe.statements
                    yield with_statements(
                        recipe, (*statements[:index], *call, *statements[index + 1 :])
                    )


def _gives_back(
    recipe: Recipe, index: int, name: str, given: str, libraries: Mapping[str, Any]
) -> bool:
    statements = recipe.statements
    watched = (*statements[:index], f"{_BEFORE} = {given}", statements[index])
    scope = Namespace(**libraries).run(
        dataclasses.replace(recipe, statements=watched, expression="")
    )
    return scope[_BEFORE] is scope[name]


def _changes_nothing(name: str, recipe: Recipe) -> bool:
    functions = {
        node.name: node
        for text in recipe.definitions
        for node in parse(text).body
        if isinstance(node, ast.FunctionDef)
    }
    if name not in functions:
        return False
    function = functions[name]
    inner = {one.name for one in ast.walk(function) if isinstance(one, ast.FunctionDef)} - {name}
    for one in ast.walk(function):
        if isinstance(one, (ast.Expr, ast.Delete, ast.Global, ast.With, ast.Try, ast.AugAssign)):
            return False
        if isinstance(one, (ast.Attribute, ast.Subscript)) and not isinstance(one.ctx, ast.Load):
            return False
        if isinstance(one, ast.Call) and not from_library(one.func):
            called = one.func.id if isinstance(one.func, ast.Name) else ""
            known = called in inner or (hasattr(builtins, called) and called not in _ACTING)
            if not known and not (called != name and _changes_nothing(called, recipe)):
                return False
    return True


def second_names(recipe: Recipe, reading: Reading) -> Iterator[Recipe]:
    """Yield the recipe without a name that is only an alias of another one."""
    read = reading.of(recipe)
    for index, text in enumerate(recipe.statements):
        match assignment(text):
            case name, ast.Name(id=other) if other not in read and other not in IMPORTS:
                first = re.compile(rf"{other} = ")
                places = [i for i in range(index) if first.match(recipe.statements[i])]
                if len(places) == 1 and count(other, texts_of(recipe)) == 2:
                    [place] = places
                    statements = list(recipe.statements)
                    if count(name, statements[:index]):
                        continue
                    statements[place] = first.sub(f"{name} = ", statements[place], count=1)
                    del statements[index]
                    yield with_statements(recipe, statements)
