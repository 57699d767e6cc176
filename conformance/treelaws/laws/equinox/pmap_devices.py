"""Equinox: `filter_pmap` over eight devices, which gives what `filter_vmap` gives on one."""

from __future__ import annotations

import functools

import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.trees.batching import batched, batches
from hypothesis_pytrees.trees.meshes import COUNT
from hypothesis_pytrees.trees.structures import structures
from treelaws.equality import equal, same

from ._functions import doubled
from ._mapped import both, counted_along, doubled_arrays
from .pmap import law

_DOCS = "https://docs.kidger.site/equinox/api/transformations/#equinox.filter_pmap"
_JAX = "https://docs.jax.dev/en/latest/_autosummary/jax.pmap.html"
_NEEDS = {"eight_devices", "filter_pmap", "filter_vmap", "if_array"}
# The documentation of `jax.pmap` asks for axes that are not negative.
_BATCHES = batches(size=COUNT).filter(lambda recipe: "axes:last" not in recipe.features)


@law(
    "over eight devices, `filter_pmap` gives what `filter_vmap` gives on one for every prefix of "
    "axes that are not negative, and the result is on all devices",
    source=_JAX,
    level="should",
    needs=_NEEDS,
    case=_BATCHES,
)
def devices_map_as_one_device_does(lib, case):
    got = lib.filter_pmap(doubled_arrays, in_axes=(case.axes,))(case.tree)
    # Whether the entries can be read is part of the promise.
    jtu.tree_map(np.asarray, got)
    same(got, lib.filter_vmap(doubled_arrays, in_axes=(case.axes,))(case.tree))
    counts = [len(leaf.sharding.device_set) for leaf in jtu.tree_leaves(got)]
    equal(counts, [COUNT] * len(counts))


@law(
    "over eight devices, collectives along `axis_name` give what they give within `filter_vmap`",
    source=_DOCS,
    level="should",
    needs=_NEEDS,
    case=_BATCHES,
    parents=[devices_map_as_one_device_does],
)
def collectives_reach_all_devices(lib, case):
    counted = functools.partial(counted_along, "batch")
    got = lib.filter_pmap(counted, in_axes=(case.axes,), axis_name="batch")(case.tree)
    same(got, lib.filter_vmap(counted, in_axes=(case.axes,), axis_name="batch")(case.tree))


@law(
    "over eight devices, an argument and an output with the axis `None` are the same on each",
    source=_DOCS,
    needs=_NEEDS,
    case=cases(array=batched(COUNT), other=structures(statics=False)),
    parents=[devices_map_as_one_device_does],
)
def unmapped_trees_are_on_every_device(lib, case):
    axes, mapped = (lib.if_array(0), None), lambda one, other: both(one, other)
    got = lib.filter_pmap(mapped, in_axes=axes, out_axes=axes)(case.array, case.other)
    same(got, (doubled(case.array), doubled(case.other)))


@law(
    "what `filter_pmap` leaves on eight devices goes into it again",
    source=_DOCS,
    level="should",
    needs=_NEEDS,
    case=cases(array=batched(COUNT)),
    parents=[devices_map_as_one_device_does],
)
def results_on_devices_are_mapped_again(lib, case):
    mapped = lib.filter_pmap(doubled)
    same(mapped(mapped(case.array)), doubled(doubled(case.array)))
