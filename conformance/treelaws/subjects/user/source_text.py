"""Finds the text that defines a user's class or function, for recipes."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis_pytrees.core.recipe import IMPORTS, default_namespace
from hypothesis_pytrees.leaves.leaves import EVERY
from hypothesis_pytrees.trees.trees import EVERY_KIND
from treelaws import compat
from treelaws.compat.parsing import parse
from treelaws.core.statements import bound_by, extent, name_of


def define(found: Any) -> tuple[str, str]:
    """Make a class or a function available to recipes, and return its text.

    If a fresh interpreter can import it, the text is that import. Otherwise the text is the source
    of the class or function, of the names it uses in its file, and of the calls that register it.
    Recipes see the object itself either way.

    Args:
        found: the class or the function.

    Returns:
        The text that defines it, and the expression that names it.
    """
    if not hasattr(found, "__qualname__") or not isinstance(getattr(found, "__self__", type), type):
        return _nameless(found)
    root, _, rest = found.__qualname__.rpartition("<locals>.")[2].partition(".")
    # A class made by a call may have a name that its module does not bind.
    unbound = not hasattr(sys.modules.get(found.__module__), root)
    local = "<locals>" in found.__qualname__ or root == "<lambda>" or unbound
    if local:
        top, rest, root = found, "", "factory" if root == "<lambda>" else root
    else:
        top = getattr(sys.modules[found.__module__], root)
    name = _free(root, top)
    if not local and compat.installed(found.__module__):
        renaming = "" if name == root else f" as {name}"
        text = f"from {found.__module__} import {root}{renaming}\n"
    else:
        renaming = "" if name == root else f"\n{name} = {root}\n"
        text = (_local(top, root) if local else _pasted(found.__module__, root)) + renaming
        if not local and found.__module__ != "__main__":
            _IMPORTS[text] = f"from {found.__module__} import {root}"
            _IMPORTS[text] += "" if name == root else f" as {name}"
    default_namespace().give(text, **{name: top})
    return text, ".".join(filter(None, (name, rest)))


def define_as(found: Any, text: str, called: str) -> None:
    """Make a class or a function available to recipes under the text of another process.

    Args:
        found: the class or the function.
        text: the definition that `define` returned there.
        called: the expression that it returned.
    """
    _, here = define(found)
    top = vars(default_namespace().module)[here.partition(".")[0]]
    default_namespace().give(text, **{called.partition(".")[0]: top})


def _nameless(found: Any) -> tuple[str, str]:
    """Do as `define` for a `functools.partial`, a bound method or an object with `__call__`."""
    name = _free("factory", found)
    text = f"# The source of {name}, a {type(found).__qualname__}, is in no file.\n"
    if isinstance(found, functools.partial):
        given = [repr(one) for one in found.args]
        given += [f"{key}={value!r}" for key, value in found.keywords.items()]
        if all(map(_is_literal, (*found.args, *found.keywords.values()))):
            inner, called = define(found.func)
            text = f"{inner}\n\ndef {name}():\n    return {called}({', '.join(given)})\n"
    default_namespace().give(text, **{name: found})
    return text, name


def _is_literal(value: Any) -> bool:
    try:
        return ast.literal_eval(repr(value)) == value
    except (ValueError, SyntaxError):
        return False


def define_beside(other: Any, *, text: str, found: Any) -> tuple[str, str]:
    """Make another class available to recipes; return the text that defines it, and its name.

    Args:
        other: a class that a hint names.
        text: what `define` returned for the class under test. If it defines the other class, too,
            it is returned, since a second copy of the class would be another one.
        found: the class under test.
    """
    name = other.__qualname__
    if other.__module__ == found.__module__ and re.search(rf"^class {name}\b", text, re.M):
        default_namespace().give(text, **{name: other})
        return text, name
    return define(other)


# The import that can replace a source text, by that text.
_IMPORTS: dict[str, str] = {}


def importing(text: str) -> str:
    """Return an import that can replace a text of `define`, or else the text itself."""
    return _IMPORTS.get(text, text)


def _free(name: str, found: Any) -> str:
    """Return the name, with a number if it already names something else in recipes."""
    taken = {**dict.fromkeys(_names_of_kinds()), **vars(default_namespace().module)}
    count, unique = 1, name
    while taken.get(unique, found) is not found:
        count += 1
        unique = f"{name}_{count}"
    return unique


@functools.cache
def _names_of_kinds() -> frozenset[str]:
    """Return the names that the suite's own kinds define, now or later."""
    tables = (*EVERY_KIND, *EVERY)
    texts = "\n".join(text for kind in tables for text in kind.definitions)
    return frozenset(re.findall(r"^(?:class |def )?(\w+)(?: = |[(:])", texts, re.M))


def _local(found: Any, name: str) -> str:
    """Return the source of a local class or function, with the names that it uses in its file."""
    try:
        own = textwrap.dedent(inspect.getsource(found))
        lines = inspect.getsource(inspect.getmodule(found) or found).splitlines()
    except (OSError, TypeError):
        return f"# The source of {name} is in no file.\n"
    tree = parse("\n".join(lines))
    if found.__name__ == "<lambda>":
        inner = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
        inner = [node for node in inner if node.lineno == found.__code__.co_firstlineno]
        text = ast.unparse(inner[0]) if len(inner) == 1 else "None  # one lambda of many in a line"
        own = f"{name} = {text}\n"
    wanted = _loaded(_parsed(own))
    return _joined(tree, lines, _closure(tree, wanted), own)


def _pasted(module: str, name: str) -> str:
    """Return the part of a file that a name depends on."""
    try:
        lines = inspect.getsource(sys.modules[module]).splitlines()
    except (OSError, TypeError):
        return f"# The source of {name} is in no file.\n"
    tree = parse("\n".join(lines))
    return _joined(tree, lines, _closure(tree, {name}), "")


def _parsed(text: str) -> ast.AST:
    try:
        return parse(text)
    except SyntaxError:
        # A lambda inside an expression.
        return ast.Module([], [])


def _loaded(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _closure(tree: ast.Module, wanted: set[str]) -> set[str]:
    """Return the wanted names and all names of the file that they depend on."""
    found: set[str] = set()
    while wanted - found:
        found |= wanted
        for node in tree.body:
            imported = isinstance(node, (ast.Import, ast.ImportFrom))
            if not imported and _concerns(node, found):
                wanted = wanted | _loaded(node)
    return found


def _concerns(node: ast.stmt, names: set[str]) -> bool:
    """Return whether a statement binds or registers one of these names."""
    return not names.isdisjoint(bound_by(node)) or _registers(node, names)


def _registers(node: ast.stmt, names: set[str]) -> bool:
    """Return whether a statement is a call that registers one of these names."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    given = set().union(*map(_loaded, node.value.args)) if node.value.args else set[str]()
    return "register" in ast.unparse(node.value.func) and bool(given & names)


def _joined(tree: ast.Module, lines: list[str], names: set[str], own: str) -> str:
    parts = [*_kept(tree, lines, names), own]
    imports = [part for part in parts if part.startswith(("import ", "from "))]
    rest = [part for part in parts if part and part not in imports]
    return (
        "\n\n\n".join(["\n".join(imports)] * bool(imports) + [one.strip("\n") for one in rest])
        + "\n"
    )


def _kept(tree: ast.Module, lines: list[str], names: set[str]) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            node.names = used = [alias for alias in node.names if name_of(alias) in names]
            # A recipe that is printed adds the imports of names that all recipes see.
            if used and ast.unparse(node) not in IMPORTS.values():
                yield ast.unparse(node)
        elif _concerns(node, names):
            first, last = extent(node)
            yield "\n".join(lines[first - 1 : last])


def reference(found: Any) -> str:
    """Return `package.module:name` if this process can import it, or else its name."""
    module, name = found.__module__, found.__qualname__
    if module == "__main__" or "<" in name or not Path(str(inspect.getsourcefile(found))).exists():
        return name.rpartition("<locals>.")[2]
    return f"{module}:{name}"
