"""Variants of a known library: a fork, a development branch, a patched copy."""

from __future__ import annotations

import importlib
import types
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from treelaws.compat import claims
from treelaws.core.subject import Subject
from treelaws.subjects import builtin

# By family: names that it must have, and its name in recipe text.
_FAMILIES: Mapping[str, tuple[tuple[str, ...], str]] = {
    "equinox": (("partition", "combine"), "eqx"),
    "nnx": (("split", "merge", "State"), "nnx"),
    "optax": (("GradientTransformation", "apply_updates"), "optax"),
    "flax": (("struct", "serialization"), "flax"),
    "jax": (("tree_util",), "jax"),
}


def family_of(found: Any) -> str:
    """Return the library whose functions an object has; empty if there is none."""
    for family, (needed, _) in _FAMILIES.items():
        if all(hasattr(found, name) for name in needed):
            return family
    return ""


def changes(module: types.ModuleType, family: str) -> bool:
    """Return whether a module is a library, or has functions of one that are not the same ones.

    Args:
        module: a module that has functions of the library.
        family: the library, as `family_of` names it.
    """
    real = builtin.library(family)
    if real.absent or module.__name__.partition(".")[0] == real.lib.__name__.partition(".")[0]:
        return True
    needed, _ = _FAMILIES[family]
    return any(getattr(module, name) is not getattr(real.lib, name) for name in needed)


class Overlay:
    """A library in which a user's functions take precedence.

    Args:
        found: the object with the user's functions.
        known: the module that has the rest.
    """

    def __init__(self, found: Any, known: Any) -> None:
        self._found, self._known = found, known

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(self._found, name):
            return getattr(self._known, name)
        return getattr(self._found, name)


def library(found: Any, family: str, name: str) -> Subject:
    """Return the subject of a variant of a library.

    Args:
        found: has some or all public functions of a library; laws that need others are skipped.
        family: the family of that library.
        name: its name in reports.
    """
    real = builtin.library(family)
    _, text = _FAMILIES[family]
    whole = found if real.absent else Overlay(found, real.lib)
    seen = {text: whole}
    if family == "jax":
        seen["jtu"] = whole.tree_util
    if family == "nnx":
        seen["flax"] = Overlay(SimpleNamespace(nnx=whole), importlib.import_module("flax"))
    return Subject(
        name,
        family,
        lambda: found,
        claims=lambda _: claims.of(family),
        libraries=seen,
        base=family,
        requires=real.requires,
    )
