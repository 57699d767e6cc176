"""Mutants of wrappers and reductions for numbers, states and labels of every kind."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant

_CONDITIONS, _HYPERPARAMS = "optax.conditions.", "optax.hyperparams."


@mutant("optax", kills=[_CONDITIONS + "bad_numbers_stay_in_their_period"])
def periods_are_longer(optax):
    """`MultiSteps` and `apply_every` act after one more step."""

    def multi_steps(opt: Any, length: Any, **options: Any) -> Any:
        later: Any = length + 1 if isinstance(length, int) else lambda step: length(step) + 1
        return optax.MultiSteps(opt, later, **options)

    return {"MultiSteps": multi_steps, "apply_every": lambda k: optax.apply_every(k + 1)}


@mutant("optax", kills=[_CONDITIONS + "slow_parameters_rest_between_synchronizations"])
def slow_parameters_follow_at_once(optax):
    """`lookahead` moves the slow parameters at each step."""
    return {"lookahead": lambda fast, length, *rest: optax.lookahead(fast, 1, *rest)}


@mutant("optax", kills=[_CONDITIONS + "an_inner_state_may_have_any_dtypes"])
def narrow_states_are_widened(optax):
    """`MultiSteps` and `apply_if_finite` turn bfloat16 and 8-bit states into 32-bit ones."""

    def widened(leaf):
        narrow = getattr(leaf, "dtype", None) in (jnp.bfloat16, jnp.int8, jnp.uint8)
        return leaf * jnp.float32(1) if narrow else leaf

    def wrapping(make, field):
        def wrap(inner, *rest, **options):
            tx = make(inner, *rest, **options)

            def update(grads, state, params=None, **extra):
                updates, state = tx.update(grads, state, params, **extra)
                held = jtu.tree_map(widened, getattr(state, field))
                return updates, state._replace(**{field: held})

            return optax.GradientTransformationExtraArgs(tx.init, update)

        return wrap

    return {
        "MultiSteps": wrapping(optax.MultiSteps, "inner_opt_state"),
        "apply_if_finite": wrapping(optax.apply_if_finite, "inner_state"),
    }


@mutant("optax", kills=[_CONDITIONS + "a_wrapper_takes_the_dtypes_that_the_inner_takes"])
def steps_are_summed(optax):
    """`MultiSteps` always gives the inner transformation the sum of the gradients."""

    def multi_steps(opt: Any, length: int, **options: Any) -> Any:
        return optax.MultiSteps(opt, length, use_grad_mean=False, **options)

    return {"MultiSteps": multi_steps}


@mutant("optax", kills=[_CONDITIONS + "updates_of_any_dtype_are_skipped"])
def infinities_are_not_counted(optax):
    """`skip_not_finite` counts NaN alone."""

    def skip(updates, step, params):
        nans = [jnp.isnan(leaf).sum() for leaf in jtu.tree_leaves(updates)]
        count = jnp.sum(jnp.array(nans))
        return count > 0, {"should_skip": count > 0, "num_not_finite": count}

    return {"skip_not_finite": skip}


@mutant("optax", kills=["optax.tree.reductions_of_every_dtype_are_those_of_all_numbers"])
def sums_are_of_floats(optax):
    """`tree_sum` and `tree_vdot` add up in float16."""

    def rounded(reduce):
        return lambda *trees: reduce(*trees).astype(jnp.float16)

    names = ("tree_utils.tree_sum", "tree_utils.tree_vdot")
    reductions = (optax.tree_utils.tree_sum, optax.tree_utils.tree_vdot)
    return {name: rounded(reduce) for name, reduce in zip(names, reductions, strict=True)}


@mutant("optax", kills=["optax.monitoring.an_averaged_measurement_keeps_its_types"])
def averages_are_of_single_precision(optax):
    """The state of `measure_with_ema` becomes float32 at an update."""

    def measure_with_ema(measure, **options):
        tx = optax.measure_with_ema(measure, **options)

        def update(grads, state, params=None, **extra):
            found, state = tx.update(grads, state, params, **extra)
            widened = lambda leaf: leaf.astype("float32") if leaf.dtype == jnp.bfloat16 else leaf
            return found, jtu.tree_map(widened, state)

        return optax.GradientTransformationExtraArgs(tx.init, update)

    return {"measure_with_ema": measure_with_ema}


def _injecting(optax: Any, update: Any = None, init: Any = None) -> dict[str, Any]:
    def inject_hyperparams(factory, *rest, **options):
        def made(*args, **named):
            tx = optax.inject_hyperparams(factory, *rest, **options)(*args, **named)
            changed = (lambda *given, **extra: update(tx, *given, **extra)) if update else tx.update
            begun = (lambda params: init(tx.init(params))) if init else tx.init
            return optax.GradientTransformationExtraArgs(begun, changed)

        return made

    return {"inject_hyperparams": inject_hyperparams}


@mutant("optax", kills=[_HYPERPARAMS + "hyperparameters_do_not_depend_on_the_parameters"])
def hyperparameters_are_doubled(optax):
    """The first state of `inject_hyperparams` holds twice each number."""

    def doubled(state):
        held = {name: 2 * number for name, number in state.hyperparams.items()}
        return state._replace(hyperparams=held)

    return _injecting(optax, init=doubled)


@mutant("optax", kills=[_HYPERPARAMS + "an_update_without_parameters_is_the_one_with_them"])
def updates_without_parameters_are_zero(optax):
    """`update` of `inject_hyperparams` gives zeros where it gets no parameters."""

    def update(tx, grads, state, params=None, **extra):
        updates, state = tx.update(grads, state, params, **extra)
        zeros = jtu.tree_map(jnp.zeros_like, updates)
        return (zeros if params is None else updates), state

    return _injecting(optax, update=update)
