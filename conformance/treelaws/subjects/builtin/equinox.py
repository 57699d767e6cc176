"""Equinox as a subject, and its Modules as node types."""

from __future__ import annotations

import functools
import importlib
from types import ModuleType

from hypothesis_pytrees import trees
from hypothesis_pytrees.classes.layers import LAYERS
from hypothesis_pytrees.classes.modules import MODULES
from hypothesis_pytrees.equinox.states_nodes import state_indices, states
from treelaws.compat import claims
from treelaws.core.subject import Subject, add


def _library() -> ModuleType:
    return importlib.import_module("equinox")


equinox = add(
    Subject(
        "equinox",
        "equinox",
        _library,
        claims=lambda _: claims.of("equinox"),
        requires="equinox",
        part_of="equinox",
    )
)
for _name, _kind, _kinds in (("eqx.Module", "module", MODULES), ("eqx.nn", "layer", LAYERS)):
    add(
        Subject(
            _name,
            "node",
            lambda: importlib.import_module("jax"),
            kind=_kind,
            instances=functools.partial(trees, roots=_kinds),
            requires="equinox",
            part_of="equinox",
        )
    )
for _name, _kind, _instances in (
    ("eqx.nn.State", "state", states),
    ("eqx.nn.StateIndex", "state-index", state_indices),
):
    add(
        Subject(
            _name,
            "node",
            lambda: importlib.import_module("jax"),
            kind=_kind,
            instances=_instances,
            requires="equinox",
            part_of="equinox",
        )
    )
