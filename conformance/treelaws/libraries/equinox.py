"""Equinox as a subject, and its Modules as node types."""

from __future__ import annotations

import functools
import importlib
from types import ModuleType

from hypothesis_pytrees import trees
from hypothesis_pytrees.layers import LAYERS
from hypothesis_pytrees.modules import MODULES
from hypothesis_pytrees.usable import absence

from .. import compat
from ..subjects import Subject, register

_ABSENT = absence("equinox")


def _library() -> ModuleType:
    return importlib.import_module("equinox")


equinox = register(
    Subject(
        "equinox",
        "equinox",
        _library,
        claims=frozenset() if _ABSENT else compat.equinox_claims(_library()),
        absent=_ABSENT,
    )
)
for _name, _kind, _kinds in (("eqx.Module", "module", MODULES), ("eqx.nn", "layer", LAYERS)):
    register(
        Subject(
            _name,
            "node",
            lambda: importlib.import_module("jax"),
            kind=_kind,
            instances=functools.partial(trees, roots=_kinds),
            absent=_ABSENT,
        )
    )
