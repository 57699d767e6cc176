"""Finds the subject of the suite whose known departures a user's node class shares."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Iterator, Mapping
from typing import Any

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


def features_inside(treedef: Any) -> Iterator[str]:
    """Yield the features of the nodes of a tree.

    Args:
        treedef: its `jax.tree_util.PyTreeDef`.
    """
    data = treedef.node_data()
    if data is not None:
        yield from features_of(data[0])
        for child in treedef.children():
            yield from features_inside(child)


def _traits(found: type) -> Iterator[str]:
    bases = [base for base in found.__mro__ if not _of_the_library(base)]
    if getattr(found, "__parameters__", ()):
        # An instance may be made by the alias, as in `Box[int](1)`.
        yield from ("generic", "subscripted")
    held = [value for base in found.__mro__ for value in vars(base).values()]
    if any(isinstance(value, functools.cached_property) for value in held):
        yield "cached-property"
    hints = [vars(base).get("__annotations__", {}) for base in found.__mro__]
    texts = [str(hint) for one in hints for hint in one.values()]
    if any(text.startswith(("dataclasses.InitVar", "InitVar")) for text in texts):
        yield "init-var"
    if any(map(_runs_code, bases)):
        yield "init-writes-argument"
    yield from _unlike_its_fields(found, bases)


def _unlike_its_fields(found: type, bases: list[type]) -> Iterator[str]:
    """Yield why the attributes of an instance may be others than the fields of its class."""
    fields = getattr(found, "__dataclass_fields__", {})
    defaults = [name for name in fields if hasattr(found, name)]
    if defaults and any("__init__" in vars(base) and _runs_code(base) for base in bases):
        yield "default-unset"
    if any(name in vars(base) and not _declares(base, name) for base in bases for name in fields):
        yield "default-overridden"
    if hasattr(found, "__wrapped__") or "__wrapped__" in fields:
        yield "wrapper"
    if any("__dataclass_fields__" not in vars(base) for base in bases):
        yield "plain-base"


def _declares(base: type, name: str) -> bool:
    return name in vars(base).get("__annotations__", {})


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
