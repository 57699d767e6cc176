"""Equinox as a subject, and its Modules as node types."""

from __future__ import annotations

import functools
import importlib
from types import ModuleType

from hypothesis_pytrees import trees
from hypothesis_pytrees.layers import LAYERS
from hypothesis_pytrees.modules import MODULES
from hypothesis_pytrees.states_nodes import state_indices, states

from ..compat import claims
from ..subjects import Subject, register


def _library() -> ModuleType:
    return importlib.import_module("equinox")


equinox = register(
    Subject(
        "equinox",
        "equinox",
        _library,
        claims=claims.of_equinox,
        requires="equinox",
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
            requires="equinox",
        )
    )
for _name, _kind, _instances in (
    ("eqx.nn.State", "state", states),
    ("eqx.nn.StateIndex", "state-index", state_indices),
):
    register(
        Subject(
            _name,
            "node",
            lambda: importlib.import_module("jax"),
            kind=_kind,
            instances=_instances,
            requires="equinox",
        )
    )
