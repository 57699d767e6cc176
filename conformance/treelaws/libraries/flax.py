"""Flax outside NNX as a subject: struct, FrozenDict, serialization, traverse_util."""

from __future__ import annotations

import importlib
from types import ModuleType

from .. import compat
from ..subjects import Subject, register


def _library() -> ModuleType:
    return importlib.import_module("flax")


flax = register(Subject("flax", "flax", _library, claims=compat.flax_claims, requires="flax"))
