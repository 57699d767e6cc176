"""Flax: functions of trees for loops along axes and for batches on several devices."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.flax.batches import batches_of_trees, forests, scanned_trees
from treelaws.core.law import Topic
from treelaws.equality import equal, same

law = Topic("flax.jax_utils", "Flax: loops along axes and batches on devices", family="flax")
_DOCS = "https://flax-linen.readthedocs.io/en/latest/api_reference/flax.jax_utils.html"
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax"


@law(
    "`scan_in_dim` runs its body over the slices along the axes, the last axis fastest, and puts "
    "the results where the slices were, for any `unroll`",
    source=f"{_CODE}/jax_utils.py#L214-L235",
    level="should",
    needs={"jax_utils.scan_in_dim"},
    case=scanned_trees(),
)
def scans_go_along_the_axes(lib, case):
    body = lambda carry, part: (carry * 2 + _total(part), jtu.tree_map(jnp.negative, part))
    options = {"axis": case.axis, "keepdims": case.keepdims, "unroll": case.unroll}
    carry, got = lib.jax_utils.scan_in_dim(body, jnp.float32(0), case.tree, **options)
    wanted = 0.0
    for part in _slices(case.tree, case.axis):
        wanted = wanted * 2 + float(_total(part))
    equal(float(carry), wanted)
    same(got, jtu.tree_map(jnp.negative, case.tree))


@law(
    "`unreplicate(replicate(x))` is `x`, and each device holds a copy",
    source=_DOCS,
    needs={"jax_utils.replicate", "jax_utils.unreplicate"},
    case=forests(least=1),
)
def replicas_are_copies(lib, case):
    tree, count = case.forest[0], jax.local_device_count()
    replicated = lib.jax_utils.replicate(tree)
    same(jtu.tree_map(np.shape, replicated), jtu.tree_map(lambda x: (count, *np.shape(x)), tree))
    same(lib.jax_utils.unreplicate(replicated), jtu.tree_map(jnp.asarray, tree))


@law(
    "`pad_shard_unpad` gives the result of the function that it wraps, for every size of batch",
    source=f"{_DOCS}#flax.jax_utils.pad_shard_unpad",
    needs={"jax_utils.pad_shard_unpad"},
    case=batches_of_trees(),
)
def padding_changes_no_result(lib, case):
    function = lambda factor, x, y: jtu.tree_map(lambda leaf: leaf * factor, (x, y))
    padded = lib.jax_utils.pad_shard_unpad(function)
    got = padded(2, case.x, y=case.y, min_device_batch=case.least)
    same(got, function(2, case.x, case.y))


@law(
    "`stack_forest` gives one tree, whose leaves are the stacked leaves of the trees",
    source=f"{_CODE}/training/common_utils.py#L57-L67",
    needs={"training.common_utils.stack_forest"},
    case=forests(least=1),
)
def forests_are_stacked(lib, case):
    """In older releases the stacked leaves are NumPy arrays."""
    stacked = lib.training.common_utils.stack_forest(case.forest)
    for index, tree in enumerate(case.forest):
        got = jtu.tree_map(lambda leaf, at=index: jnp.asarray(leaf[at]), stacked)
        same(got, jtu.tree_map(jnp.asarray, tree))


def _total(tree):
    return sum((jnp.sum(leaf) for leaf in jtu.tree_leaves(tree)), jnp.float32(0))


def _slices(tree, axis):
    """Yield the slices along the axes, in the order of the loop."""
    axes = axis if isinstance(axis, tuple) else (axis,)
    shape = np.shape(jtu.tree_leaves(tree)[0])
    for places in itertools.product(*(range(shape[one]) for one in axes)):
        chosen = {one % len(shape): place for one, place in zip(axes, places, strict=True)}
        index = tuple(chosen.get(at, slice(None)) for at in range(len(shape)))
        yield jtu.tree_map(lambda leaf, index=index: leaf[index], tree)
