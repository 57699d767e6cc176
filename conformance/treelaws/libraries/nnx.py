"""Flax NNX as a subject."""

from __future__ import annotations

import importlib
from types import ModuleType

from .. import compat
from ..subjects import Subject, register


def _library() -> ModuleType:
    return importlib.import_module("flax.nnx")


nnx = register(Subject("nnx", "nnx", _library, claims=compat.nnx_claims, requires="flax"))
