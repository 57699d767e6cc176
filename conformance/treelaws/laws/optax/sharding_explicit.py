"""Optax: trees on meshes of explicit axes, where a sharding is part of the type of an array."""

from __future__ import annotations

import jax
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.optax.rules.explicit import explicit_batches, explicit_reductions
from treelaws.core.mismatch import Mismatch, shown
from treelaws.equality import same

from ._inputs import CODE, DOCS
from .sharding import law

_PAGE = f"{DOCS}microbatching.html#optax.microbatching"
_NEEDS = {"eight_devices", "explicit_shardings"}


@law(
    "`reshape_batch_axis` gives on explicit axes the microbatches that it gives on one device, and "
    "the sharding of the batch is that of the rows of each microbatch",
    # The new axis of the microbatches "will generally be replicated".
    source=f"{_PAGE}.reshape_batch_axis",
    level="should",
    needs={*_NEEDS, "microbatching.reshape_batch_axis"},
    case=explicit_batches(),
)
def microbatches_keep_their_sharding(lib, case):
    reshape = lambda tree: lib.microbatching.reshape_batch_axis(tree, case.size, case.axis)
    with jax.set_mesh(case.mesh):
        got = reshape(_placed(case))
    _same_numbers(got, reshape(case.tree))
    for key, spec in case.specs.items():
        split = (*spec[: case.axis], None, *spec[case.axis :])
        wanted = jax.sharding.NamedSharding(case.mesh, jax.sharding.PartitionSpec(*split))
        if not got[key].sharding.is_equivalent_to(wanted, got[key].ndim):
            raise Mismatch(key, "sharding", shown(got[key].sharding), shown(wanted))


@law(
    "`microbatch` gives on explicit axes what it gives on one device",
    source=f"{CODE}_src/sharding_test.py#L111",
    level="should",
    needs={*_NEEDS, "microbatch"},
    case=explicit_batches(),
    parents=(microbatches_keep_their_sharding,),
)
def microbatches_on_explicit_axes_are_those_of_one_device(lib, case):
    kinds = lib.microbatching.AccumulationType
    sums = lambda tree: jtu.tree_map(lambda leaf: leaf.sum(case.axis), tree)
    options = {"argnums": 0, "microbatch_size": case.size, "in_axes": case.axis}
    fun = lib.microbatch(sums, accumulator=kinds.SUM, **options)
    with jax.set_mesh(case.mesh):
        got = fun(_placed(case))
    _same_numbers(got, fun(case.tree))


@law(
    "functions of trees give on explicit axes what they give on one device",
    source=f"{DOCS}utilities.html#tree",
    level="should",
    needs={*_NEEDS, "explicit_trees", "tree_utils.tree_vdot", "tree_utils.tree_norm"},
    case=explicit_reductions(),
)
def trees_on_explicit_axes_are_those_of_one_device(lib, case):
    with jax.set_mesh(case.mesh):
        got = case.call(_placed(case))
    _same_numbers(got, case.call(case.tree))


def _placed(case):
    sharding = lambda spec: jax.sharding.NamedSharding(case.mesh, jax.sharding.PartitionSpec(*spec))
    return {key: jax.device_put(case.tree[key], sharding(spec)) for key, spec in case.specs.items()}


def _same_numbers(got, wanted):
    """Demand equal numbers; those that are drawn are whole and small, so that sums are exact."""
    same(jtu.tree_map(np.asarray, got), jtu.tree_map(np.asarray, wanted))
