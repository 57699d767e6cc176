"""Equinox as a subject, and its Modules as node types."""

from __future__ import annotations

import functools
import importlib

from hypothesis_pytrees import trees
from hypothesis_pytrees.modules import MODULES

from .. import compat
from ..subjects import Subject, register

_ABSENT = "" if compat.installed("equinox") else "equinox is not installed"

equinox = register(
    Subject("equinox", "equinox", lambda: importlib.import_module("equinox"), absent=_ABSENT)
)
module = register(
    Subject(
        "eqx.Module",
        "node",
        lambda: importlib.import_module("jax"),
        instances=functools.partial(trees, roots=MODULES),
        absent=_ABSENT,
    )
)
