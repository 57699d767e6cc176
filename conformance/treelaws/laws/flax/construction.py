"""Flax: construction of dataclasses."""

from __future__ import annotations

from treelaws.core.law import Topic
from treelaws.equality import equal

from .._construction import constructions, places

law = Topic("flax.construction", "Flax: construction of dataclasses", family="flax")


@law(
    "dataclasses and FrozenDicts are defined and built in every way that Flax documents;"
    " the same call gives leaves of the same types at the same key paths",
    source="https://flax.readthedocs.io/en/latest/api_reference/flax.struct.html",
    needs={"struct.dataclass"},
    case=constructions("flax"),
)
def documented_dataclasses_can_be_built(lib, case):
    equal(places(case.build()), places(case.build()))
