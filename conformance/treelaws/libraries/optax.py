"""Optax as a subject."""

from __future__ import annotations

import importlib
from types import ModuleType

from .. import compat
from ..subjects import Subject, register


def _library() -> ModuleType:
    return importlib.import_module("optax")


optax = register(Subject("optax", "optax", _library, claims=compat.optax_claims, requires="optax"))
