"""Trees on eight devices: their inputs, and whether each leaf is where it should be."""

from __future__ import annotations

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, trees
from hypothesis_pytrees.leaves.leaves import usable_pool
from hypothesis_pytrees.trees.meshes import (
    ARRAY_LIKE,
    ARRAYS,
    COUNT,
    EMPTY,
    FLOATS,
    KEYS,
    ROWS,
    STATIC,
    sharded,
)
from treelaws.core.mismatch import Mismatch, shown

_ARRAY_LIKE = (jax.Array, np.ndarray, np.generic, int, float)
_LEAVES = {
    "any": (*ARRAY_LIKE, *KEYS, *EMPTY),
    "keyed": (*ARRAY_LIKE, *KEYS),
    "arrays": (*ARRAYS, *EMPTY),
    "floats": FLOATS,
    "rows": ROWS,
    "mixed": (*ARRAYS, *STATIC),
}


@functools.cache
def arrays_of(leaves: str) -> st.SearchStrategy[Recipe]:
    """Draw a tree whose leaves are all of a kind.

    Args:
        leaves: `"any"`, `"keyed"` (without empty arrays), `"arrays"` (of JAX, without random
            keys), `"floats"`, `"rows"`, or `"mixed"` (arrays and what is none).
    """
    drawn = trees(usable_pool(tuple(_LEAVES[leaves])), max_leaves=4, alias=False)
    return drawn.filter(functools.partial(_holds, leaves))


def sharded_trees(leaves: str = "any", **options: Any) -> st.SearchStrategy[Recipe]:
    """Draw such a tree, a mesh and shardings; see `hypothesis_pytrees.trees.meshes.sharded`."""
    return sharded(arrays_of(leaves), **options)


def _holds(leaves: str, recipe: Recipe) -> bool:
    """Return whether the nodes bring no other leaves of their own."""
    held = jtu.tree_leaves(recipe.build())
    if leaves == "mixed":
        # A compiled function gives an array of JAX for one of NumPy.
        return not any(hasattr(one, "__array__") and not isinstance(one, jax.Array) for one in held)
    if leaves in ("any", "keyed"):
        return all(isinstance(leaf, _ARRAY_LIKE) for leaf in held)
    kinds = jnp.floating if leaves == "floats" else np.generic
    arrays = [leaf for leaf in held if isinstance(leaf, jax.Array)]
    if leaves == "rows" and any(leaf.shape[:1] != (COUNT,) for leaf in arrays):
        return False
    if len(arrays) != len(held) or not all(jnp.issubdtype(leaf.dtype, kinds) for leaf in held):
        return False
    return leaves == "arrays" or all(_is_exact(np.asarray(leaf)) for leaf in held)


def _is_exact(leaf):
    """Return whether the entries are halves, whose sums are exact in any order."""
    return bool(np.all(leaf * 2 == np.round(leaf * 2)))


def as_arrays(tree):
    """Return the tree with its leaves as arrays on one device."""
    return jtu.tree_map(jnp.asarray, tree)


def turned(tree):
    """Turn the entries of each leaf around, which moves them between devices."""
    return jtu.tree_map(lambda leaf: leaf[::-1] if leaf.ndim else leaf, as_arrays(tree))


def halved_squares(tree):
    """Return a number whose derivative by each entry is the entry itself, in every type."""
    parts = [jnp.sum(leaf.astype(jnp.float32) ** 2 / 2) for leaf in jtu.tree_leaves(tree)]
    return sum(parts, jnp.float32(0))


def each_sharding(where, tree):
    """Return the sharding of each leaf of a tree, which a prefix says."""
    pairs: list[Any] = []
    several = lambda sharding, subtree: pairs.extend([sharding] * len(jtu.tree_leaves(subtree)))
    jtu.tree_map(several, where, tree, is_leaf=lambda node: node is None)
    return pairs


def on_devices(tree, where):
    """Raise `Mismatch` unless each leaf has its sharding, and each device its part.

    Args:
        tree: a tree; leaves that are not arrays of JAX are ignored.
        where: a prefix of shardings; `None` stands for any.
    """
    for leaf, sharding in zip(jtu.tree_leaves(tree), each_sharding(where, tree), strict=True):
        if not isinstance(leaf, jax.Array):
            continue
        if sharding is not None and not leaf.sharding.is_equivalent_to(sharding, leaf.ndim):
            raise Mismatch("", "sharding", shown(leaf.sharding), shown(sharding))
        whole, placed = np.asarray(_plain(leaf)), sharding or leaf.sharding
        for shard in leaf.addressable_shards:
            part, wanted = np.asarray(_plain(shard.data)), part_of(whole, placed, shard)
            if part.tobytes() != wanted.tobytes():
                raise Mismatch("", f"part on {shard.device}", shown(part), shown(wanted))


def part_of(whole, sharding, shard):
    """Return the part of an array that is on a device, as the documentation of specs says."""
    if isinstance(sharding, jax.sharding.NamedSharding):
        (place,) = np.argwhere(sharding.mesh.devices == shard.device)
        return block(whole, sharding.spec, sharding.mesh.shape, place)
    return whole[shard.index]


def block(whole, spec, sizes, place):
    """Return the block of an array at a place of a mesh.

    Args:
        whole: the array.
        spec: for each axis of the array: the axes of the mesh, the one that changes last first.
        sizes: the sizes of the axes of the mesh by name.
        place: the index along each axis of the mesh.
    """
    indices = dict(zip(sizes, place, strict=True))
    for axis, entry in enumerate(spec):
        names = (entry,) if isinstance(entry, str) else entry or ()
        count = math.prod(sizes[name] for name in names)
        index = 0
        for name in names:
            index = index * sizes[name] + indices[name]
        whole = np.split(whole, count, axis)[index]
    return whole


def _plain(leaf):
    return jax.random.key_data(leaf) if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf
