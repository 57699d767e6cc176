"""Mutants of what Optax does with numbers of any size, losses, keys and single gradients."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant


@mutant("optax", kills=["optax.finite.documented_constants_keep_updates_finite"])
def adagrad_has_no_eps(optax):
    """`adagrad`, `adamax`, `lamb`, `radam` and `yogi` divide by 0 where the gradient is 0."""

    def without(name):
        def make(*args, **named):
            tx = getattr(optax, name)(*args, **named)

            def update(grads, state, params=None, **extra):
                found, state = tx.update(grads, state, params, **extra)
                return jtu.tree_map(lambda one, grad: one * (grad / grad), found, grads), state

            return optax.GradientTransformationExtraArgs(tx.init, update)

        return make

    return {name: without(name) for name in ("adagrad", "adamax", "lamb", "radam", "yogi")}


@mutant("optax", kills=["optax.hyperparams.hyperparameters_are_as_exact_as_without_a_state"])
def hyperparameters_are_quarters(optax):
    """`inject_hyperparams` rounds each number to a quarter."""

    def inject_hyperparams(factory, **options):
        make = optax.inject_hyperparams(factory, **options)

        def rounded(*args, **named):
            return make(*(round(4 * one) / 4 for one in args), **named)

        return rounded

    return {"inject_hyperparams": inject_hyperparams}


@mutant("optax", kills=["optax.stored.further_arguments_reach_the_loss"])
def searches_drop_the_weight(optax):
    """`lbfgs` and the line searches call the loss without a `weight`, and with another target."""

    def changed(name):
        def make(*args, **named):
            tx = getattr(optax, name)(*args, **named)

            def update(*given, value_fn, weight=None, target=None, **extra):
                loss = value_fn if target is None else functools.partial(value_fn, target=9.0)
                return tx.update(*given, value_fn=loss, **extra)

            return optax.GradientTransformationExtraArgs(tx.init, update)

        return make

    searches = ("scale_by_backtracking_linesearch", "scale_by_zoom_linesearch", "lbfgs")
    return {name: changed(name) for name in searches}


@mutant("optax", kills=["optax.stored.every_dtype_can_be_stored"])
def stored_gradients_are_float32(optax):
    """`value_and_grad_from_state` gives gradients of float32 for every dtype."""

    def value_and_grad_from_state(fun):
        fetch = optax.value_and_grad_from_state(fun)

        def fetched(*args, **named):
            value, grad = fetch(*args, **named)
            return value, jtu.tree_map(lambda leaf: leaf.real.astype(jnp.float32), grad)

        return fetched

    return {"value_and_grad_from_state": value_and_grad_from_state}


@mutant("optax", kills=["optax.tree.gradients_are_scaled"])
def values_are_scaled(optax):
    """`scale_gradient` scales the values too."""

    def scale_gradient(inputs, scale):
        doubled = lambda leaf: leaf * 2 if jnp.issubdtype(leaf.dtype, jnp.inexact) else leaf
        return jtu.tree_map(doubled, optax.scale_gradient(inputs, scale))

    return {"scale_gradient": scale_gradient}


@mutant("optax", kills=["optax.keys.every_form_of_a_key_is_the_same"])
def seeds_are_one_more(optax):
    """`add_noise` takes the next number for a seed, `tree_random_like` refuses raw keys."""

    def add_noise(eta, gamma, key):
        return optax.add_noise(eta, gamma, key + 1 if isinstance(key, int) else key)

    def tree_random_like(key, *args, **named):
        typed = jnp.issubdtype(key.dtype, jax.dtypes.prng_key)
        used = key if typed else jax.random.split(key)[0]
        return optax.tree_utils.tree_random_like(used, *args, **named)

    return {"add_noise": add_noise, "tree_utils.tree_random_like": tree_random_like}


@mutant("optax", kills=["optax.aggregating.the_mean_of_single_gradients_is_transformed"])
def the_first_element_is_the_mean(optax):
    """`process` takes the gradient of the first element for the mean."""

    def process(before, aggregator, after, **named):
        first = optax.stateless(lambda updates, params: jtu.tree_map(lambda one: one[:1], updates))
        return optax.experimental.aggregating.process(
            optax.chain(first, before), aggregator, after, **named
        )

    return {"experimental.aggregating.process": process}


@mutant("optax", kills=["optax.formulas.initial_parameters_are_stored_in_their_dtype"])
def initial_parameters_are_always_float32(optax):
    """`scale_by_distance_over_gradients` stores the initial parameters in float32."""

    def scale_by_distance_over_gradients(*args, param_dtype=None, **options):
        return optax.scale_by_distance_over_gradients(*args, **options)

    return {"scale_by_distance_over_gradients": scale_by_distance_over_gradients}
