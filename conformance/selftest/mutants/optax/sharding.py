"""Mutants of what Optax does with parameters on several devices."""

from __future__ import annotations

import jax
import jax.core

from selftest.mutant import mutant

_SHARDING = "optax.sharding"


def _is_spread(leaf):
    return not isinstance(leaf, jax.core.Tracer) and len(leaf.sharding.device_set) > 1


@mutant(
    "optax",
    kills=[
        f"{_SHARDING}.steps_on_devices_are_those_of_one",
        f"{_SHARDING}.updated_parameters_stay_on_the_devices",
    ],
)
def updates_of_one_device_are_applied(optax):
    """Parameters on several devices are gathered on the first, and do not change."""

    def apply_updates(params, updates):
        applied = optax.apply_updates(params, updates)
        if any(map(_is_spread, jax.tree_util.tree_leaves(params))):
            return jax.device_put(params, jax.devices()[0])
        return applied

    return {"apply_updates": apply_updates}


@mutant("optax", kills=[f"{_SHARDING}.reductions_on_devices_are_those_of_one"])
def sums_count_each_device(optax):
    """`tree_sum` of a tree on several devices is doubled."""

    def tree_sum(tree):
        found = optax.tree_utils.tree_sum(tree)
        return found * 2 + 1 if any(map(_is_spread, jax.tree_util.tree_leaves(tree))) else found

    return {"tree_utils.tree_sum": tree_sum}


@mutant(
    "optax",
    kills=[
        f"{_SHARDING}.microbatches_keep_their_sharding",
        f"{_SHARDING}.microbatches_on_explicit_axes_are_those_of_one_device",
    ],
)
def explicit_rows_are_reversed(optax):
    """`reshape_batch_axis` and `microbatch` turn rows on several devices around and double them."""

    def changed(tree):
        twice = lambda leaf: leaf[::-1] * 2 if _is_spread(leaf) else leaf
        return jax.tree_util.tree_map(twice, tree)

    def reshape_batch_axis(tree, *args, **named):
        return changed(optax.microbatching.reshape_batch_axis(tree, *args, **named))

    def microbatch(fun, *args, **named):
        real = optax.microbatch(fun, *args, **named)
        return lambda tree: real(changed(tree))

    return {"microbatching.reshape_batch_axis": reshape_batch_axis, "microbatch": microbatch}


@mutant("optax", kills=[f"{_SHARDING}.trees_on_explicit_axes_are_those_of_one_device"])
def explicit_norms_are_doubled(optax):
    """`tree_norm` and `tree_sum` of a tree on several devices are doubled."""

    def doubled(name):
        def reduce(tree, *args, **named):
            found = getattr(optax.tree_utils, name)(tree, *args, **named)
            spread = any(map(_is_spread, jax.tree_util.tree_leaves(tree)))
            return found * 2 + 1 if spread else found

        return reduce

    return {f"tree_utils.{name}": doubled(name) for name in ("tree_norm", "tree_sum")}
