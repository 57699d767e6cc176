"""Mutants of optional learning rates, long schedules, and gradients through steps and noise."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from selftest.mutant import mutant

_PERTURBED = "optax.perturbed."


@mutant("optax", kills=["optax.formulas.adadelta_follows_its_formula"])
def adadelta_forgets_its_steps(optax):
    """`adadelta` starts from its first state at each step."""

    def adadelta(*args, **named):
        tx = optax.adadelta(*args, **named)
        again = lambda grads, state, params=None: tx.update(grads, tx.init(params), params)
        return tx._replace(update=again)

    return {"adadelta": adadelta}


@mutant("optax", kills=["optax.formulas.steps_without_a_rate_go_downhill"])
def adafactor_keeps_the_sign(optax):
    """`adafactor` without a learning rate does not change the sign of the gradients."""

    def adafactor(learning_rate=None, **options):
        tx = optax.adafactor(learning_rate, **options)
        return optax.chain(tx, optax.scale(-1.0)) if learning_rate is None else tx

    return {"adafactor": adafactor}


@mutant("optax", kills=["optax.schedules.long_schedules_follow_their_formula"])
def polynomials_go_on(optax):
    """`polynomial_schedule` goes on after its last step."""

    def polynomial_schedule(init_value, end_value, power, transition_steps, transition_begin=0):
        def schedule(count):
            passed = jnp.maximum(count - transition_begin, 0) / transition_steps
            return (init_value - end_value) * (1 - passed) ** power + end_value

        return schedule

    return {"polynomial_schedule": polynomial_schedule}


@mutant("optax", kills=["optax.meta_gradients.gradients_pass_through_steps"])
def adam_stops_gradients(optax):
    """No gradient passes through the updates of `adam`, `adamw` and `nadam`."""

    def stopping(name):
        def make(*args, **named):
            stopped = lambda updates, params: jax.lax.stop_gradient(updates)
            return optax.chain(getattr(optax, name)(*args, **named), optax.stateless(stopped))

        return make

    return {name: stopping(name) for name in ("adam", "adamw", "nadam")}


@mutant(
    "optax",
    kills=[
        _PERTURBED + "a_key_gives_the_perturbed_results",
        _PERTURBED + "perturbed_functions_have_gradients",
    ],
)
def noise_is_new_in_each_call(optax):
    """A perturbed function takes another key in each call."""
    calls = []

    def make_perturbed_fun(fun, *args, **named):
        perturbed = optax.perturbations.make_perturbed_fun(fun, *args, **named)

        def call(key, tree):
            calls.append(None)
            return perturbed(jax.random.fold_in(key, len(calls)), tree)

        return call

    return {"perturbations.make_perturbed_fun": make_perturbed_fun}


@mutant("optax", kills=[_PERTURBED + "slopes_of_linear_functions_are_estimated"])
def gradients_have_the_scale_of_the_noise(optax):
    """The gradients of a perturbed function are not divided by the scale of the noise."""

    def make_perturbed_fun(fun, *args, sigma=0.1, **named):
        perturbed = optax.perturbations.make_perturbed_fun(fun, *args, sigma=sigma, **named)

        def call(key, tree):
            value = perturbed(key, tree)
            still = jax.lax.stop_gradient(value)
            return jax.tree.map(lambda new, old: old + sigma * (new - old), value, still)

        return call

    return {"perturbations.make_perturbed_fun": make_perturbed_fun}


@mutant("optax", kills=[_PERTURBED + "a_baseline_changes_no_value"])
def samples_are_others_without_a_baseline(optax):
    """The values of a perturbed function without a baseline are those at another key."""

    def make_perturbed_fun(fun, *args, use_baseline=True, **named):
        perturbed = optax.perturbations.make_perturbed_fun(fun, *args, **named)
        number = 0 if use_baseline else 1
        return lambda key, tree: perturbed(jax.random.fold_in(key, number), tree)

    return {"perturbations.make_perturbed_fun": make_perturbed_fun}
