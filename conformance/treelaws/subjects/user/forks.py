"""Libraries that are like a known one: a fork, a development branch, a patched copy."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from treelaws.compat import claims
from treelaws.core.subject import Subject
from treelaws.subjects import builtin

# Of each family: what it cannot be without, what it claims, and the name that recipes call it by.
_FAMILIES: Mapping[str, tuple[tuple[str, ...], Any, str]] = {
    "equinox": (("partition", "combine"), claims.of_equinox, "eqx"),
    "nnx": (("split", "merge", "State"), claims.of_nnx, "nnx"),
    "optax": (("GradientTransformation", "apply_updates"), claims.of_optax, "optax"),
    "flax": (("struct", "serialization"), claims.of_flax, "flax"),
    "jax": (("tree_util",), claims.of_jax, "jax"),
}


def family_of(found: Any) -> str:
    """Name the library whose functions an object offers; empty where it offers none's."""
    for family, (needed, _, _) in _FAMILIES.items():
        if all(hasattr(found, name) for name in needed):
            return family
    return ""


class Overlay:
    """A library in which somebody else's functions come before the known ones.

    Args:
        found: theirs.
        known: the module that has the rest.
    """

    def __init__(self, found: Any, known: Any) -> None:
        self._found, self._known = found, known

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(self._found, name):
            return getattr(self._known, name)
        return getattr(self._found, name)


def library(found: Any, family: str, name: str) -> Subject:
    """Make the subject of a library.

    Args:
        found: offers the public functions of a library, or some of them; laws that need others are
            skipped.
        family: of that library.
        name: what it is called in reports.
    """
    real = builtin.library(family)
    _, claimed, text = _FAMILIES[family]
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
        claims=lambda _: claimed(whole),
        libraries=seen,
        base=family,
        requires=real.requires,
    )
