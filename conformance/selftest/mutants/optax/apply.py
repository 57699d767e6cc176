"""Mutants of applying updates."""

from __future__ import annotations

import jax

from selftest.mutant import mutant

_ID = "optax.apply."


@mutant(
    "optax",
    kills=[_ID + "updated_parameters_keep_their_types", _ID + "updates_are_added"],
)
def parameters_become_like_updates(optax):
    """`apply_updates` gives parameters the dtypes of the updates."""
    add = lambda param, update: (param + update).astype(update.dtype)
    return {"apply_updates": lambda params, updates: jax.tree.map(add, params, updates)}


@mutant("optax", kills=[_ID + "updates_are_added"])
def updates_are_subtracted(optax):
    """`apply_updates` subtracts."""

    def apply_updates(params, updates):
        return optax.apply_updates(params, jax.tree.map(lambda leaf: -leaf, updates))

    return {"apply_updates": apply_updates}


@mutant("optax", kills=[_ID + "applying_leaves_the_arguments_alone"])
def containers_are_updated_in_place(optax):
    """`apply_updates` writes into the list, dict or object that holds the parameters."""

    def apply_updates(params, updates):
        after = optax.apply_updates(params, updates)
        if isinstance(params, list):
            params[:] = after
        elif isinstance(params, dict):
            params.update(after)
        elif hasattr(params, "__dict__") and not isinstance(params, jax.Array):
            vars(params).update(vars(after))
        return after

    return {"apply_updates": apply_updates}


@mutant("optax", kills=[_ID + "an_incremental_update_goes_from_old_to_new"])
def steps_are_swapped(optax):
    """`incremental_update` weighs the old tensors with the step."""

    def incremental_update(new_tensors, old_tensors, step_size):
        return optax.incremental_update(old_tensors, new_tensors, step_size)

    return {"incremental_update": incremental_update}


@mutant("optax", kills=[_ID + "a_periodic_update_waits_for_its_period"])
def periods_are_counted_from_one(optax):
    """`periodic_update` is due one step late."""

    def periodic_update(new_tensors, old_tensors, steps, update_period):
        return optax.periodic_update(new_tensors, old_tensors, steps - 1, update_period)

    return {"periodic_update": periodic_update}
