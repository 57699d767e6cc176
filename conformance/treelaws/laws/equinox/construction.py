"""Equinox: construction of modules."""

from __future__ import annotations

from treelaws.core.law import Topic
from treelaws.equality import equal

from .._construction import constructions, places

law = Topic("equinox.construction", "Equinox: construction of modules", family="equinox")


@law(
    "modules, layers and stateful layers are defined and built in every way that Equinox documents;"
    " the same call gives leaves of the same types at the same key paths",
    source="https://docs.kidger.site/equinox/api/module/module/",
    needs={"Module", "nn.State"},
    case=constructions("equinox"),
)
def documented_modules_can_be_built(lib, case):
    equal(places(case.build()), places(case.build()))
