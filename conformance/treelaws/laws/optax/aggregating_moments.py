"""Optax: the mean and the variance of gradients of single elements."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.optax.rules.moments import moments
from treelaws.equality import equal

from ._inputs import CODE, close, keeps_types
from .aggregating import _MODULE, law

_PARTS = {
    f"experimental.aggregating.{name}"
    for name in (
        "add_mean_variance_to_opt",
        "get_per_element_mean_and_sum_sq_diff_grads",
        "process",
        "track_per_element_mean_and_variance_with_ema",
    )
}


@law(
    "an optimiser that `add_mean_variance_to_opt` or `process` lets track moments of gradients "
    "gives its own updates for the mean over all elements of so many steps, and zeros before",
    source=f"{_MODULE}#L591-L604",
    level="should",
    needs=_PARTS,
    case=moments(),
)
def tracking_changes_no_updates(lib, case):
    update, state = jax.jit(case.tx.update), case.tx.init(case.params)
    inner = case.after.init(case.params)
    for end, grads in enumerate(case.grads, 1):
        updates, state = update(grads, state, case.params)
        wanted = jtu.tree_map(jnp.zeros_like, case.params)
        if end % case.length == 0:
            mean, _ = _moments(case, end)
            wanted, inner = case.after.update(mean, inner, case.params)
        close(updates, wanted)


@law(
    "`get_unbiased_mean_and_variance_ema` gives the moving averages, without the weight of the "
    "zeros that they start with, of the mean and of the unbiased variance over all elements of "
    "so many steps",
    source=f"{_MODULE}#L559-L568",
    level="should",
    needs={*_PARTS, "experimental.aggregating.get_unbiased_mean_and_variance_ema"},
    case=moments(),
)
def averages_of_moments_are_unbiased(lib, case):
    update, state = jax.jit(case.tx.update), case.tx.init(case.params)
    for grads in case.grads:
        _, state = update(grads, state, case.params)
    each = [_moments(case, end) for end in range(case.length, len(case.grads) + 1, case.length)]
    weights = np.array([case.decay**age for age in reversed(range(len(each)))])
    weights = weights / weights.sum()
    wanted = jtu.tree_map(lambda *leaves: sum(map(jnp.multiply, weights, leaves)), *each)
    close(lib.experimental.aggregating.get_unbiased_mean_and_variance_ema(state), wanted)


@law(
    "`update` of an optimiser that tracks moments of gradients keeps the shape and dtype of each "
    "array of its state, and gives updates of the types of the parameters",
    source=f"{CODE}_src/alias_test.py#L358",
    level="should",
    needs=_PARTS,
    case=moments(halves=True),
)
def tracking_keeps_types(lib, case):
    state = jax.eval_shape(case.tx.init, case.params)
    updates, after = jax.eval_shape(case.tx.update, case.grads[0], state, case.params)
    keeps_types((case.params, state), (updates, after))


@law(
    "`get_batch_size_from_per_elt_updates` gives the number of elements, along one axis or several",
    source=f"{_MODULE}#L342-L353",
    level="should",
    needs={*_PARTS, "experimental.aggregating.get_batch_size_from_per_elt_updates"},
    case=moments(),
)
def elements_are_counted(lib, case):
    size = lib.experimental.aggregating.get_batch_size_from_per_elt_updates
    param, rows = jtu.tree_leaves(case.params)[0], jtu.tree_leaves(case.grads[0])[0]
    equal(size(case.grads[0], case.axis), rows.size // param.size)


def _moments(case, end):
    """Return the mean and the variance of the elements of the steps before `end`."""
    axes = tuple(np.atleast_1d(case.axis))
    places = (0, *(place + 1 if place >= 0 else place for place in axes))
    steps = case.grads[end - case.length : end]
    stacked = jtu.tree_map(lambda *leaves: np.stack(leaves), *steps)
    means = jtu.tree_map(lambda leaf: jnp.asarray(leaf.mean(places)), stacked)
    return means, jtu.tree_map(lambda leaf: jnp.asarray(leaf.var(places, ddof=1)), stacked)
