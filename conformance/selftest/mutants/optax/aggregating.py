"""Mutants of gradients of single elements."""

from __future__ import annotations

import jax

from selftest.mutant import mutant

_ID = "optax.aggregating."
_PLACE = "experimental.aggregating."


@mutant("optax", kills=[_ID + "the_mean_of_single_gradients_is_transformed"])
def elements_are_averaged_along_the_first_axis(optax):
    """`average_per_element_updates` ignores its axis."""
    real = optax.experimental.aggregating.average_per_element_updates
    return {_PLACE + "average_per_element_updates": lambda per_elt_axis=0: real(0)}


@mutant(
    "optax",
    kills=[_ID + "tracking_changes_no_updates", _ID + "averages_of_moments_are_unbiased"],
)
def each_step_counts_alone(optax):
    """`add_mean_variance_to_opt` ignores the number of steps that count as one."""
    real = optax.experimental.aggregating.add_mean_variance_to_opt

    def add_mean_variance_to_opt(opt, ema_decay=0.9, per_elt_axis=0, accumulation_steps=1):
        return real(opt, ema_decay, per_elt_axis)

    return {_PLACE + "add_mean_variance_to_opt": add_mean_variance_to_opt}


@mutant("optax", kills=[_ID + "averages_of_moments_are_unbiased"])
def averages_keep_the_weight_of_zeros(optax):
    """`get_unbiased_mean_and_variance_ema` gives the averages as they are in the state."""

    def get_unbiased_mean_and_variance_ema(state):
        found = optax.tree_utils.tree_get(state, "PerElementMeanAndVarianceEMAState")
        return found.mean_grads_ema, found.variance_grads_ema

    return {_PLACE + "get_unbiased_mean_and_variance_ema": get_unbiased_mean_and_variance_ema}


@mutant("optax", kills=[_ID + "tracking_keeps_types"])
def updates_are_of_single_precision(optax):
    """`track_per_element_mean_and_variance_with_ema` gives updates of float32."""
    real = optax.experimental.aggregating.track_per_element_mean_and_variance_with_ema

    def track_per_element_mean_and_variance_with_ema(ema_decay=0.9):
        tx = real(ema_decay)

        def update(updates, state, params=None, **extra):
            updates, state = tx.update(updates, state, params, **extra)
            return jax.tree.map(lambda leaf: leaf.astype("float32"), updates), state

        return optax.GradientTransformationExtraArgs(tx.init, update)

    name = "track_per_element_mean_and_variance_with_ema"
    return {_PLACE + name: track_per_element_mean_and_variance_with_ema}


@mutant("optax", kills=[_ID + "elements_are_counted"])
def elements_of_the_first_axis_are_counted(optax):
    """`get_batch_size_from_per_elt_updates` counts along the first of several axes."""

    def get_batch_size_from_per_elt_updates(per_elt_updates, per_elt_axis):
        axis = per_elt_axis if isinstance(per_elt_axis, int) else per_elt_axis[0]
        return jax.tree.leaves(per_elt_updates)[0].shape[axis]

    name = "get_batch_size_from_per_elt_updates"
    return {_PLACE + name: get_batch_size_from_per_elt_updates}
