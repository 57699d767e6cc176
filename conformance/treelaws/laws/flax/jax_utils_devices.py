"""Flax: batches and replicas of trees on chosen devices."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.flax.batches import forests
from hypothesis_pytrees.trees.meshes import COUNT
from treelaws.equality import equal, same
from treelaws.laws._sharded import arrays_of

from .jax_utils import law, replicas_are_copies

_DOCS = "https://flax-linen.readthedocs.io/en/latest/api_reference/flax.jax_utils.html"


@st.composite
def _chosen(draw: st.DrawFn, strategy: st.SearchStrategy[Recipe], name: str) -> Recipe:
    """Bind the value, `devices`, some devices in some order, and `size`."""
    scope = Scope()
    text = scope.include(draw(strategy))
    if text:
        scope.bind(name, text)
    order = draw(st.permutations(range(COUNT)))
    count = draw(st.sampled_from((1, 2, 3, COUNT)))
    scope.note(f"devices:{count}")
    scope.bind("devices", f"[jax.devices()[index] for index in {order[:count]}]")
    scope.bind("size", str(draw(st.integers(1, 3))))
    return scope.recipe()


@law(
    "`replicate(tree, devices)` puts a copy on each of the devices, in their order",
    source=_DOCS,
    needs={"eight_devices", "jax_utils.replicate", "jax_utils.unreplicate"},
    case=_chosen(arrays_of("arrays"), "tree"),
    parents=[replicas_are_copies],
)
def replicas_are_on_the_devices(lib, case):
    replicated = lib.jax_utils.replicate(case.tree, case.devices)
    same(lib.jax_utils.unreplicate(replicated), jtu.tree_map(jnp.asarray, case.tree))
    for leaf in jtu.tree_leaves(replicated):
        equal(_in_order(leaf), case.devices)


@law(
    "`prefetch_to_device` yields the items of the iterator, each array split over the devices in "
    "their order",
    source=_DOCS,
    needs={"eight_devices", "jax_utils.prefetch_to_device"},
    case=_chosen(forests(least=1), "forest"),
)
def items_come_from_the_devices(lib, case):
    count = len(case.devices)
    items = [jtu.tree_map(lambda leaf: jnp.stack([leaf] * count), tree) for tree in case.forest]
    found = list(lib.jax_utils.prefetch_to_device(iter(items), case.size, case.devices))
    same(found, items)
    for leaf in jtu.tree_leaves(found):
        equal(_in_order(leaf), case.devices)


@st.composite
def _named(draw: st.DrawFn) -> Recipe:
    """Draw as `_chosen`, and the `name` of an axis."""
    scope = Scope()
    scope.include(draw(_chosen(forests(least=1), "forest")))
    scope.bind("name", repr(draw(st.sampled_from(("batch", "i", "a b")))))
    return scope.recipe()


@law(
    "`replicate` and `prefetch_to_device` split arrays along an axis of the name `axis_name`",
    source=_DOCS,
    needs={"eight_devices", "axes_of_replicas"},
    case=_named(),
    parents=[replicas_are_on_the_devices, items_come_from_the_devices],
)
def axes_of_replicas_have_the_name(lib, case):
    options = {"devices": case.devices, "axis_name": case.name}
    replicas = [lib.jax_utils.replicate(tree, **options) for tree in case.forest]
    copies = jtu.tree_map(np.asarray, replicas)
    items = list(lib.jax_utils.prefetch_to_device(iter(copies), case.size, **options))
    same(items, replicas)
    for leaf in jtu.tree_leaves((items, replicas)):
        equal(leaf.sharding.spec[0], case.name)


@law(
    "`pad_shard_unpad` of a function from `pmap` gives the result for each row, for a number of "
    "rows that the devices may not divide",
    source=f"{_DOCS}#flax.jax_utils.pad_shard_unpad",
    needs={"eight_devices", "jax_utils.pad_shard_unpad"},
    case=_chosen(forests(least=1), "forest"),
)
def padded_batches_go_to_all_devices(lib, case):
    rows = jnp.arange(len(case.devices) + 8, dtype=jnp.float32)
    function = lambda tree, rows: (rows * 2, jtu.tree_map(lambda leaf: leaf + leaf, tree))
    mapped = jax.pmap(function, in_axes=(None, 0), out_axes=(0, None))
    padded = lib.jax_utils.pad_shard_unpad(lambda tree, rows: mapped(tree, rows)[0])
    same(jnp.asarray(padded(case.forest[0], rows)), rows * 2)


def _in_order(leaf):
    """Return the devices that have the parts of an array, in the order of its first axis."""
    places = {shard.index[0].start or 0: shard.device for shard in leaf.addressable_shards}
    return [places[index] for index in sorted(places)]
