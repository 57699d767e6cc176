"""Flax NNX: construction of modules."""

from __future__ import annotations

from treelaws.core.law import Topic
from treelaws.equality import equal

from .._construction import constructions, places

law = Topic("nnx.construction", "Flax NNX: construction of modules", family="nnx")


@law(
    "modules, layers, containers and States are defined and built in every way that NNX documents;"
    " the same call gives leaves of the same types at the same key paths",
    source="https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/index.html",
    needs={"Module"},
    case=constructions("nnx"),
)
def documented_modules_can_be_built(lib, case):
    equal(places(case.build()), places(case.build()))
