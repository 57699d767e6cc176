"""Flax Linen: random numbers in lifted transforms."""

from __future__ import annotations

import numpy as np

from hypothesis_pytrees.flax.lifted.keys import split_streams
from treelaws.equality import equal

from .linen import TRANSFORMS, law


@law(
    "a stream that `split_rngs` splits has another key for each index of `nn.vmap`, `nn.scan`, "
    "`nn.remat_scan` or `nn.while_loop`; one that it does not split has the same key for all",
    source=f"{TRANSFORMS}scan",
    needs={"linen.vmap", "linen.scan", "linen.remat_scan", "linen.while_loop"},
    case=split_streams(),
)
def split_streams_differ_for_each_index(lib, case):
    _, keys = case.model.apply({}, *case.args, rngs=case.seeds)
    equal(sorted(keys), sorted(case.streams))
    for name, is_split in case.split_of.items():
        rows = [row.tobytes() for row in np.asarray(keys[name])]
        equal((len(rows), len(set(rows))), (case.size, case.size if is_split else 1))
