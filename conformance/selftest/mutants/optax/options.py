"""Mutants of options: schedules, bounds, factors and paces."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp

from selftest.mutant import mutant

_SCHEDULED = (
    "adagrad",
    "adam",
    "adamw",
    "lamb",
    "lion",
    "nadamw",
    "radam",
    "rmsprop",
    "sgd",
    "yogi",
)


@mutant("optax", kills=["optax.schedules.numbers_may_be_scheduled"])
def schedules_are_doubled(optax):
    """Ten optimisers take twice the values of a schedule."""

    def doubled(number):
        schedule: Any = number
        return (lambda count: 2 * schedule(count)) if callable(number) else number

    def changed(name):
        make = getattr(optax, name)
        given = ("learning_rate", "weight_decay")
        return lambda **named: make(
            **{key: doubled(one) if key in given else one for key, one in named.items()}
        )

    return {name: changed(name) for name in _SCHEDULED}


@mutant("optax", kills=["optax.schedules.schedules_take_arrays"])
def values_must_be_python_numbers(optax):
    """`constant_schedule` and `linear_schedule` round arrays to whole numbers."""

    def linear_schedule(init_value, end_value, *rest):
        whole = [
            jnp.round(one) if hasattr(one, "dtype") else one for one in (init_value, end_value)
        ]
        return optax.linear_schedule(*whole, *rest)

    def constant_schedule(value):
        return optax.constant_schedule(jnp.round(value) if hasattr(value, "dtype") else value)

    return {"linear_schedule": linear_schedule, "constant_schedule": constant_schedule}


@mutant("optax", kills=["optax.schedules.schedules_pass_through_the_values_they_are_given"])
def schedules_begin_one_step_early(optax):
    """`linear_schedule` and `cosine_decay_schedule` are a step ahead."""

    def early(name):
        make = getattr(optax, name)
        return lambda *args, **named: lambda count: make(*args, **named)(count + 1)

    return {name: early(name) for name in ("linear_schedule", "cosine_decay_schedule")}


@mutant("optax", kills=["optax.documented.an_option_at_its_bound_has_no_effect_beyond_it"])
def zero_is_a_default(optax):
    """`ema`, `trace` and `add_decayed_weights` take 0 for their number left out."""

    def filled(name):
        return lambda number, *args, **named: getattr(optax, name)(number or 0.5, *args, **named)

    return {name: filled(name) for name in ("ema", "trace", "add_decayed_weights")}


@mutant("optax", kills=["optax.documented.a_documented_factor_scales_the_updates"])
def factors_are_squared(optax):
    """`normalize_by_update_norm` and `scale` square their factors."""

    def scale(step_size):
        return optax.scale(step_size**2)

    def normalize_by_update_norm(scale_factor=1.0, **named):
        return optax.normalize_by_update_norm(scale_factor**2, **named)

    return {"scale": scale, "normalize_by_update_norm": normalize_by_update_norm}


@mutant("optax", kills=["optax.documented.a_search_begins_with_the_documented_guess"])
def guesses_grow_twice(optax):
    """A backtracking line search doubles `increase_factor`, and takes infinity for 1.5."""

    def scale_by_backtracking_linesearch(*args, increase_factor=1.5, **named):
        factor = 1.5 if math.isinf(increase_factor) else 2 * increase_factor
        search = optax.scale_by_backtracking_linesearch
        return search(*args, increase_factor=factor, **named)

    return {"scale_by_backtracking_linesearch": scale_by_backtracking_linesearch}


@mutant("optax", kills=["optax.documented.the_scale_follows_the_plateaus"])
def patience_is_one_more(optax):
    """`reduce_on_plateau` waits for one value more than it is told."""

    def reduce_on_plateau(*, patience=10, **named):
        return optax.contrib.reduce_on_plateau(patience=patience + 1, **named)

    return {"contrib.reduce_on_plateau": reduce_on_plateau}
