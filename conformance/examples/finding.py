"""Finds the public node types of an installed library."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import jax

from .library import Library

_TESTS = ("test", "tests", "testing", "conftest")


@functools.cache
def node_types(library: Library) -> dict[str, type]:
    """Return the classes that JAX takes for nodes by their shortest public names.

    A class is public where each part of its dotted name is. One without instances, such as an
    abstract class, is none.

    Args:
        library: an installed library.
    """
    names: dict[type, str] = {}
    for module in _modules(library):
        for name, found in vars(module).items():
            public = isinstance(found, type) and not name.startswith("_")
            if not public or not _belongs(found, library.package) or not is_node_type(found):
                continue
            dotted = f"{module.__name__}.{name}"
            if found not in names or _rank(dotted) < _rank(names[found]):
                names[found] = dotted
    return {name: found for found, name in sorted(names.items(), key=lambda pair: pair[1])}


def is_node_type(found: type) -> bool:
    """Say whether JAX takes instances of a class for nodes, asked of one that nothing filled."""
    make: Any = found.__new__
    try:
        blank = make(found)
    except Exception:
        # Some register a class when it is first called, others want arguments.
        builtin: Any = next(base for base in found.__mro__ if base.__module__ == "builtins")
        try:
            blank = builtin.__new__(found)
        except TypeError:
            return False
    return not jax.tree_util.all_leaves([blank])


def is_namedtuple(found: type) -> bool:
    """Say whether a class is a NamedTuple with the constructor that `typing` gives it."""
    return issubclass(found, tuple) and "_fields" in vars(found)


def _modules(library: Library) -> Iterator[ModuleType]:
    top = importlib.import_module(library.package)
    yield top
    for info in pkgutil.walk_packages(getattr(top, "__path__", []), f"{library.package}."):
        if any(_hidden(part) for part in info.name.split(".")):
            continue
        try:
            yield importlib.import_module(info.name)
        except ImportError:
            # A module for an optional library that is not installed; any other error is to be seen.
            continue


def _hidden(part: str) -> bool:
    return part.startswith("_") or part.endswith("_test") or part in _TESTS


def _belongs(found: Any, package: str) -> bool:
    return found.__module__.partition(".")[0] == package.partition(".")[0]


def _rank(dotted: str) -> tuple[int, str]:
    return dotted.count("."), dotted
