"""Equinox: `filter`, `partition`, `combine`."""

from __future__ import annotations

from hypothesis_pytrees import trees
from hypothesis_pytrees.cases import cases

from ..law import Topic
from ..same import same

law = Topic("equinox.filter", "Equinox: filtering", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/manipulation/"


@law(
    "combine(*partition(tree, is_array)) gives the tree back, leaf for leaf",
    source=f"{_DOCS}#equinox.combine",
    needs={"partition", "combine"},
    case=cases(tree=trees(history=True)),
)
def combine_undoes_partition(lib, case):
    kept, rest = lib.partition(case.tree, lib.is_array)
    same(lib.combine(kept, rest), case.tree, identical=True)
