"""A user's own model as the tree that operations work on."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from .names import parts
from .operation import Case, given, operations
from .timing import prepared
from .trees import FLAT, KINDS, MODEL, Kind

# They need nodes whose children have names of their own, or a state.
_NOT_FOR_MODELS = ("spec", "state", "tree_at")
_OF_NUMBERS = ("completion", "dispatch", "compile", "sharded")
_OF_REAL_NUMBERS = ("derivative", "optimiser", "training")


class BadModel(ValueError):
    """`--subject` does not name a function that makes a model."""


def use(name: str) -> None:
    """Add the model that a function makes to the kinds of tree.

    Args:
        name: `"package.module:function"`.

    Raises:
        BadModel: the function does not exist, it raises, or its model has no arrays.
    """
    make = _function(name)
    try:
        model = make()
    except Exception as raised:
        raise BadModel(f"{name}() raises {type(raised).__name__}: {raised}") from raised
    if not _arrays(model):
        raise BadModel(f"{name}() returns a {type(model).__name__} without arrays")
    given.cache_clear()
    prepared.cache_clear()
    KINDS[MODEL] = Kind(MODEL, "", lambda leaves: make())
    KINDS[FLAT] = Kind(FLAT, "", lambda leaves: tuple(_arrays(make())))


def _function(name: str) -> Callable[[], Any]:
    module, _, attribute = name.partition(":")
    if not attribute:
        raise BadModel(f"{name!r} names no function; write package.module:function")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found = functools.reduce(getattr, attribute.split("."), importlib.import_module(module))
    except (ImportError, AttributeError) as raised:
        raise BadModel(f"{name}: {raised}") from raised
    if not callable(found):
        raise BadModel(f"{name} is of type {type(found).__name__}; name a function")
    return found


def _arrays(tree: Any) -> list[jax.Array]:
    return [leaf for leaf in jax.tree_util.tree_leaves(tree) if isinstance(leaf, jax.Array)]


def cases(platforms: Sequence[str]) -> list[Case]:
    """List the cases of the model that is used.

    Args:
        platforms: of the devices.
    """
    model = KINDS[MODEL].tree(())
    arrays, kind = _arrays(model), _like(model)
    left_out = {*_NOT_FOR_MODELS, *_without_numbers(arrays)}
    return [
        Case(operation, MODEL, len(arrays), platform)
        for operation in operations().values()
        for platform in platforms
        if kind in operation.kinds and operation.topic not in left_out
        if parts(platform)[1] >= operation.devices
    ]


def _without_numbers(arrays: Sequence[jax.Array]) -> Sequence[str]:
    """Return the topics that compute with the arrays and cannot."""
    if not all(jnp.issubdtype(array.dtype, jnp.number) for array in arrays):
        return (*_OF_NUMBERS, *_OF_REAL_NUMBERS)
    real = all(jnp.issubdtype(array.dtype, jnp.floating) for array in arrays)
    return () if real else _OF_REAL_NUMBERS


def _like(model: Any) -> str:
    """Return the kind of node whose operations a model takes."""
    bases = [(one.__module__, one.__name__) for one in type(model).__mro__]
    if any(home.startswith("flax.nnx.") and name in ("Module", "Pytree") for home, name in bases):
        return "nnx"
    eqx = any(home.startswith("equinox.") and name == "Module" for home, name in bases)
    return "mixed" if eqx else "node"
