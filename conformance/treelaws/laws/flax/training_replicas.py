"""Flax: dynamic scales of a loss of several replicas."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.flax.replicas import replicated_losses
from treelaws.equality import equal, same

from .training import law
from .training_scale import scaled_gradients_are_those_of_jax

_GRAD = (
    "https://flax-linen.readthedocs.io/en/latest/api_reference/flax.training.html"
    "#flax.training.dynamic_scale.DynamicScale.value_and_grad"
)
_NEEDS = {"eight_devices", "training.dynamic_scale.DynamicScale"}


@law(
    "`DynamicScale.value_and_grad` with `axis_name` gives each replica the mean of the gradients "
    "of all replicas, if it is finite",
    source=_GRAD,
    level="should",
    needs=_NEEDS,
    case=replicated_losses(),
    parents=[scaled_gradients_are_those_of_jax],
)
def gradients_are_averaged_over_replicas(lib, case):
    grads = [jax.grad(case.loss)(case.params, row) for row in case.rows]
    mean = jtu.tree_map(lambda *leaves: sum(leaves) / len(leaves), *grads)
    got = case.run(lambda params, row: _scaled(lib, case)(params, row).grad)
    if all(bool(jnp.isfinite(leaf).all()) for leaf in jtu.tree_leaves(mean)):
        same(got, jtu.tree_map(lambda leaf: jnp.stack([leaf] * len(case.rows)), mean))


@law(
    "`DynamicScale.value_and_grad` with `axis_name` has the same `finite`, scale and `fin_steps` "
    "on each replica, and `finite` only where the gradients of all replicas are",
    source=_GRAD,
    level="should",
    needs=_NEEDS,
    case=replicated_losses(),
    parents=[gradients_are_averaged_over_replicas],
)
def replicas_have_the_same_scale(lib, case):
    result = case.run(lambda params, row: _scaled(lib, case)(params, row)[:2])
    finite = [bool(jnp.isfinite(case.rows).all())] * len(case.rows)
    equal(result[1].tolist(), finite)
    for leaf in jtu.tree_leaves(result[0]):
        equal(leaf.tolist(), [leaf[0].item()] * len(case.rows))


def _scaled(lib, case):
    scale = lib.training.dynamic_scale.DynamicScale(**case.options)
    return scale.value_and_grad(case.loss, axis_name="replicas")
