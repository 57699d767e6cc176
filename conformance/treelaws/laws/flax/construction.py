"""Flax: construction of dataclasses."""

from __future__ import annotations

from treelaws.core.law import Topic
from treelaws.equality import equal, true

from .._construction import EACH_KIND, constructions, documented_names, places, quietly

law = Topic("flax.construction", "Flax: construction of dataclasses", family="flax")


@law(
    "dataclasses and FrozenDicts are defined and built in every way that Flax documents;"
    " the same call gives leaves of the same types at the same key paths",
    source="https://flax.readthedocs.io/en/latest/api_reference/flax.struct.html",
    needs={"struct.dataclass"},
    case=constructions("flax"),
    weight=EACH_KIND,
)
def documented_dataclasses_can_be_built(lib, case):
    equal(places(case.build()), places(case.build()))


@law(
    "the public names of a release exist: those that laws and their inputs use",
    source="https://flax.readthedocs.io/en/latest/api_reference/index.html",
    case=documented_names,
)
def documented_names_exist(lib, case):
    """A law whose names the release lacks by `names.json` is skipped, so none may be missing."""
    true(quietly(case.find) is not None, None, "what the name stands for")
