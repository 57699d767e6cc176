"""Mutants of Optax that share between threads what belongs to a call."""

from __future__ import annotations

from selftest.mutant import mutant

from .._one_place import one_place_for_arguments


@mutant("optax", kills=["optax.threads.optimisers_step_in_threads"])
def apply_updates_has_one_place_for_arguments(optax):
    """`apply_updates` keeps its arguments where each call keeps them."""
    return {"apply_updates": one_place_for_arguments(optax.apply_updates)}
