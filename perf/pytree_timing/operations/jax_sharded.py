"""JAX: calling what is compiled on arrays whose rows are on several devices."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from pytree_timing.calls import arrays, compiled, first_plus_one
from pytree_timing.operation import Call, Given, Topic

_KINDS = ("tuple", "node", "module", "mixed")
FEW = (10, 100)
sharded = Topic("sharded", floor="sharded.jax_jit", devices=2)


def one_row_each(given: Given) -> jax.sharding.Sharding:
    """Return the sharding of arrays that have one row for each device."""
    mesh = jax.sharding.Mesh(np.array(given.devices), ("rows",))
    return jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("rows"))


def rows(given: Given, tree: Any) -> Any:
    """Return a tree whose arrays have one more axis, with a row on each device."""
    sharding, count = one_row_each(given), len(given.devices)

    def placed(leaf: Any) -> Any:
        if not isinstance(leaf, jax.Array):
            return leaf
        return jax.device_put(jax.numpy.broadcast_to(leaf, (count, *leaf.shape)), sharding)

    return jax.tree_util.tree_map(placed, tree)


@sharded(*_KINDS, sizes=FEW)
def jax_jit(given: Given) -> Call:
    """jax.jit of a function of one leaf, called on arrays with a row on each device."""
    return compiled(jax.jit(first_plus_one), rows(given, arrays(given.tree)))


@sharded(*_KINDS, sizes=FEW)
def jax_jit_with_shardings(given: Given) -> Call:
    """jax.jit with in_shardings, called on arrays with a row on each device."""
    call = jax.jit(first_plus_one, in_shardings=one_row_each(given))
    return compiled(call, rows(given, arrays(given.tree)))


@sharded(*_KINDS, sizes=FEW, floor="sharded.device_put")
def device_put(given: Given) -> Call:
    """jax.device_put of a tree on one device to a row on each device."""
    found = rows(given, arrays(given.tree))
    there = jax.device_put(found, given.devices[0])
    return compiled(jax.device_put, there, one_row_each(given))
