"""Finds the subject of the suite whose known departures a user's node class shares."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from treelaws.comparison.places import children
from treelaws.compat.jax import flatten_of

# Classes that register each subclass as a node, nearest first, by module and name.
_BASES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "eqx.nn.StateIndex": (("equinox.nn", "StateIndex"),),
    "eqx.nn.State": (("equinox.nn", "State"),),
    "eqx.Module": (("equinox", "Module"),),
    "flax.struct": (("flax.struct", "PyTreeNode"),),
    "nnx.containers": (("flax.nnx", "List"), ("flax.nnx", "Dict")),
    "nnx.Variable": (("flax.nnx", "Variable"),),
    "nnx.State": (("flax.nnx", "State"), ("flax.nnx", "GraphDef")),
    "nnx.Module": (("flax.nnx", "Module"), ("flax.nnx", "Pytree")),
}
# Functions that register a class: text in the name of the function that flattens the class.
_REGISTERED: Mapping[str, str] = {
    "chex.dataclass": "chex.",
    "register_dataclass": "register_dataclass.",
    "register_static": "register_static.",
}
# By base: prefix of the features that its findings name.
_PREFIXES: Mapping[str, str] = {
    "eqx.Module": "module",
    "chex.dataclass": "chex",
    "nnx.Module": "nnx",
}

# Libraries that register nodes.
_LIBRARIES = ("equinox", "flax", "chex")


def base_of(found: type) -> str:
    """Return the name of the subject whose known departures a class shares; empty if none.

    The library that registers a class has written its flatten and unflatten, so that a bug there
    is the bug of every such class.

    Args:
        found: a class whose instances are PyTree nodes.
    """
    for name, places in _BASES.items():
        # A class can only be a subclass of a class that is imported.
        bases = (getattr(sys.modules.get(module), base, None) for module, base in places)
        if any(base in found.__mro__ for base in bases if base is not None):
            return name
    if "_flax_dataclass" in vars(found):
        return "flax.struct"
    if issubclass(found, tuple) and "_fields" in vars(found):
        return "namedtuple"
    flatten = flatten_of(found)
    return next((name for name, text in _REGISTERED.items() if text in flatten), "")


def features_of(found: type) -> tuple[str, ...]:
    """Return the features of instances of a class that regions of its base name.

    Args:
        found: a class whose instances are PyTree nodes.
    """
    prefix = _PREFIXES.get(base_of(found), "")
    return tuple(f"{prefix}:{trait}" for trait in _traits(found)) if prefix else ()


def features_inside(tree: Any) -> Iterator[str]:
    """Yield the features of the nodes of a tree, from their classes and from themselves.

    Args:
        tree: an instance.
    """
    held = children(tree)
    if len(held) == 1 and held[0] is tree:
        return
    yield from features_of(type(tree))
    if base_of(type(tree)) == "eqx.Module" and not _has_its_fields(tree):
        yield "module:default-unset"
    for child in held:
        yield from features_inside(child)


def _has_its_fields(module: Any) -> bool:
    """Return whether the attributes of a Module are its fields, which Equinox takes for granted.

    A constructor may leave one with a default out, and a wrapper or an alias adds others.
    """
    fields = {one.name for one in dataclasses.fields(module)}
    return set(getattr(module, "__dict__", {})) == fields


def _traits(found: type) -> Iterator[str]:
    bases = [base for base in found.__mro__ if not _of_the_library(base)]
    if getattr(found, "__parameters__", ()):
        yield "generic"
    held = [value for base in found.__mro__ for value in vars(base).values()]
    if any(isinstance(value, functools.cached_property) for value in held):
        yield "cached-property"
    hints = [vars(base).get("__annotations__", {}) for base in found.__mro__]
    texts = [str(hint) for one in hints for hint in one.values()]
    if any(text.startswith(("dataclasses.InitVar", "InitVar")) for text in texts):
        yield "init-var"
    if any(map(_runs_code, bases)):
        yield "init-writes-argument"


def _of_the_library(base: type) -> bool:
    """Return whether a class is Python's, or of a library that registers nodes."""
    package = base.__module__.partition(".")[0]
    return package in _LIBRARIES or package in sys.stdlib_module_names


def _runs_code(base: type) -> bool:
    """Return whether creating an instance runs a class's own code, which may raise halfway."""
    held = vars(base)
    # A dataclass generates its constructor from text.
    init = getattr(inspect.unwrap(held.get("__init__", base)), "__code__", None)
    written = init is not None and init.co_filename != "<string>"
    return written or "__post_init__" in held or "__check_init__" in held
