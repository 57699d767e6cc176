"""Libraries in which one function can be broken."""

from __future__ import annotations

import functools
import importlib
import types
from collections.abc import Callable, Mapping
from typing import Any

Wrap = Callable[[str, Callable[..., Any]], Callable[..., Any]]


class Patched:
    """A library in which some public names are replaced and the rest is the library's own.

    Args:
        library: the module.
        patches: replacements by dotted name, for example `{"tree_util.tree_map": ...}`.
    """

    def __init__(self, library: Any, patches: Mapping[str, Any]) -> None:
        self._library = library
        inner: dict[str, dict[str, Any]] = {}
        for name, value in patches.items():
            head, _, tail = name.partition(".")
            if tail:
                inner.setdefault(head, {})[tail] = value
            else:
                setattr(self, head, value)
        for head, tails in inner.items():
            setattr(self, head, Patched(getattr(library, head), tails))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)


# Modules about arrays, with which laws make and compare leaves.
_TOOLS = ("numpy", "random")


class Wrapped:
    """A library whose functions are all wrapped when they are looked up.

    Args:
        library: the module.
        wrap: takes the dotted name of a function and the function.
        prefix: the name of the module within the library, with a full stop; default the library.
    """

    def __init__(self, library: Any, wrap: Wrap, prefix: str = "") -> None:
        self._library, self._wrap, self._prefix = library, wrap, prefix
        self._found: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name not in self._found:
            self._found[name] = self._look_up(name)
        return self._found[name]

    def _look_up(self, name: str) -> Any:
        value = getattr(self._library, name)
        if name.startswith("_") or name in _TOOLS:
            return value
        if isinstance(value, types.ModuleType):
            inside = value.__name__.split(".")[0] == self._library.__name__.split(".")[0]
            return Wrapped(value, self._wrap, f"{self._prefix}{name}.") if inside else value
        return self._wrap(f"{self._prefix}{name}", value) if is_function(value) else value


def is_function(value: Any) -> bool:
    """Return whether a value is a function, also a compiled one, and not a class."""
    return callable(value) and not isinstance(value, type) and hasattr(value, "__name__")


def in_text(family: str, library: Any) -> dict[str, Any]:
    """Return the names under which the text of recipes sees a library of a family of laws."""
    return _IN_TEXT[family](library)


def _nnx(library: Any) -> dict[str, Any]:
    flax = Patched(importlib.import_module("flax"), {"nnx": library})
    return {"nnx": library, "flax": flax}


def _jax(library: Any) -> dict[str, Any]:
    return {"jax": library, "jtu": library.tree_util}


_IN_TEXT: Mapping[str, Callable[[Any], dict[str, Any]]] = {
    "jax": _jax,
    "node": _jax,
    "equinox": lambda library: {"eqx": library},
    "flax": lambda library: {"flax": library},
    "chex": lambda library: {"chex": library},
    "nnx": _nnx,
    "optax": lambda library: {"optax": library},
    "transformation": lambda library: {"optax": library},
}


def alike_named(function: Callable[..., Any], wrapper: Callable[..., Any]) -> Callable[..., Any]:
    """Return the wrapper with the name, the signature and the documentation of a function."""
    return functools.wraps(function)(wrapper)
