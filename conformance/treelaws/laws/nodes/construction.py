"""Chex: construction of dataclasses, which are nodes; Chex has no other laws."""

from __future__ import annotations

from treelaws.core.law import Topic
from treelaws.equality import equal

from .._construction import EACH_KIND, constructions, places

law = Topic("node.construction", "Nodes: construction of Chex dataclasses", family="chex")


@law(
    "Chex dataclasses are defined and built in every way that `dataclasses` documents, apart from"
    " positional arguments; the same call gives leaves of the same types at the same key paths",
    source="https://github.com/google-deepmind/chex/issues/8",
    case=constructions("chex"),
    weight=EACH_KIND,
)
def chex_dataclasses_can_be_built(lib, case):
    """A maintainer ruled that they extend the interface of dataclasses and do not change it."""
    equal(places(case.build()), places(case.build()))
