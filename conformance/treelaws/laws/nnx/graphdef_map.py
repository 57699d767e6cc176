"""Flax NNX: `nnx.map`, which maps a function over the State of a module."""

from __future__ import annotations

from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.nnx.variables import variables

from ._inputs import HOLDING, MODULES, modules_of
from ._model import kind_of, same_graph
from .graphdef import law

_MAP = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/graph.html#flax.nnx.map"


@law(
    "`nnx.map` splits a module, maps the function over its State, and merges the result",
    source=_MAP,
    needs={"map"},
    case=modules_of(MODULES | HOLDING),
)
def map_is_split_map_state_and_merge(lib, case):
    graphdef, state = lib.split(case.module)
    wanted = lib.merge(graphdef, lib.map_state(_numbered, state))
    same_graph(lib.map(_numbered, case.module), wanted)


@law(
    "`nnx.map` of a Variable by itself is what it is in a module that holds the Variable",
    source=_MAP,
    level="should",
    needs={"map"},
    case=cases(variable=variables()),
)
def map_takes_a_variable_by_itself(lib, case):
    doubled = lambda path, variable: variable.replace((path[1:], variable.get_value()))
    held = lib.Dict(held=case.rebuild().variable)
    found = lib.map(lambda path, variable: doubled(("held", *path), variable), case.variable)
    same_graph(found, lib.map(doubled, held)["held"])


def _numbered(path, leaf):
    """Return the leaf with the length of its path in the place of the value of a Variable."""
    return leaf.replace(len(path)) if kind_of(type(leaf)) == "variable" else leaf
