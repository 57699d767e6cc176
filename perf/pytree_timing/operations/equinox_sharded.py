"""Equinox: calling what is compiled on arrays whose rows are on several devices."""

from __future__ import annotations

import equinox as eqx

from pytree_timing.calls import compiled, first_plus_one
from pytree_timing.operation import Call, Given

from .jax_sharded import FEW, one_row_each, rows, sharded

_KINDS = ("tuple", "node", "module", "mixed")


@sharded(*_KINDS, sizes=FEW)
def filter_jit(given: Given) -> Call:
    """eqx.filter_jit of a function of one leaf, called on arrays with a row on each device."""
    return compiled(eqx.filter_jit(first_plus_one), rows(given, given.tree))


@sharded(*_KINDS, sizes=FEW, floor="sharded.device_put", needs=("equinox.filter_shard",))
def filter_shard(given: Given) -> Call:
    """eqx.filter_shard of a tree whose arrays have a row on each device already."""
    return compiled(eqx.filter_shard, rows(given, given.tree), one_row_each(given))
