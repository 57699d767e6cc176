"""Mutants of formulas, conditions, measurements and masked arguments."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant

_FORMULAS, _CONDITIONS = "optax.formulas.", "optax.conditions."
_MONITORING, _MASKING = "optax.monitoring.", "optax.masking."


def _updating(tx, change):
    """Return a transformation whose updates and state are changed."""
    update = lambda updates, *rest, **extra: change(updates, *tx.update(updates, *rest, **extra))
    return tx._replace(update=update)


@mutant("optax", kills=[_FORMULAS + "averages_are_those_of_the_formula"])
def nesterov_looks_back(optax):
    """`trace` with Nesterov momentum subtracts the momentum."""

    def trace(decay, nesterov=False, **options):
        tx = optax.trace(decay, **options)
        back = lambda grad, held: grad - decay * held if nesterov else held
        return _updating(tx, lambda grads, got, state: (jtu.tree_map(back, grads, got), state))

    return {"trace": trace}


@mutant("optax", kills=[_FORMULAS + "updates_are_those_of_the_formula"])
def clipping_has_a_lower_bound_alone(optax):
    """`clip` clips from below alone."""

    def clip(max_delta):
        clipped = lambda leaf: jnp.maximum(leaf, -max_delta)
        return optax.stateless(lambda updates, params: jtu.tree_map(clipped, updates))

    return {"clip": clip}


@mutant("optax", kills=[_FORMULAS + "rescaled_updates_are_those_of_the_formula"])
def adam_forgets_a_correction(optax):
    """`scale_by_adam` corrects no bias."""

    def adam(b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, **options):
        tx = optax.scale_by_adam(b1, b2, eps, eps_root, **options)

        def update(updates, state, params=None):
            _, state = tx.update(updates, state, params)
            scaled = lambda mean, square: mean / (jnp.sqrt(square + eps_root) + eps)
            return jtu.tree_map(scaled, state.mu, state.nu), state

        return tx._replace(update=update)

    return {"scale_by_adam": adam}


@mutant("optax", kills=[_FORMULAS + "nans_become_zeros"])
def infinities_become_zeros(optax):
    """`zero_nans` puts 0 in the place of an infinity too."""
    finite = lambda leaf: jnp.where(jnp.isfinite(leaf), leaf, 0)
    change = lambda grads, got, state: (jtu.tree_map(finite, got), state)
    return {"zero_nans": lambda: _updating(optax.zero_nans(), change)}


@mutant("optax", kills=[_FORMULAS + "noise_has_its_variance"])
def noise_never_fades(optax):
    """`add_noise` has the same variance at each step."""
    return {"add_noise": lambda eta, gamma, *rest: optax.add_noise(eta, 0.0, *rest)}


@mutant("optax", kills=[_FORMULAS + "missing_parameters_are_refused"])
def missing_parameters_are_zeros(optax):
    """`keep_params_nonnegative` takes zeros for missing parameters."""

    def keep():
        tx = optax.keep_params_nonnegative()

        def update(updates, state, params=None):
            params = jtu.tree_map(jnp.zeros_like, updates) if params is None else params
            return tx.update(updates, state, params)

        return tx._replace(update=update)

    return {"keep_params_nonnegative": keep}


@mutant("optax", kills=[_FORMULAS + "accumulators_have_their_dtype"])
def averages_have_the_dtype_of_the_gradients(optax):
    """`ema` ignores `accumulator_dtype`."""
    return {"ema": lambda decay, debias=True, accumulator_dtype=None: optax.ema(decay, debias)}


@mutant("optax", kills=[_CONDITIONS + "some_steps_are_transformed"])
def other_steps_become_zero(optax):
    """`conditionally_transform` gives zeros where its condition does not hold."""
    return {"conditionally_transform": optax.conditionally_mask}


@mutant("optax", kills=[_CONDITIONS + "other_steps_are_zero"])
def other_steps_are_passed(optax):
    """`conditionally_mask` passes the gradients where its condition does not hold."""
    return {"conditionally_mask": optax.conditionally_transform}


@mutant("optax", kills=[_CONDITIONS + "errors_are_counted_and_ignored"])
def one_more_error_is_ignored(optax):
    """`apply_if_finite` ignores one more error in a row."""
    return {"apply_if_finite": lambda inner, most: optax.apply_if_finite(inner, most + 1)}


@mutant("optax", kills=[_CONDITIONS + "a_schedule_says_how_many_steps_are_one"])
def schedules_stay_at_their_start(optax):
    """`MultiSteps` asks a schedule for the first update alone."""

    class MultiSteps(optax.MultiSteps):
        def __init__(self, opt, every_k_schedule, **options):
            first = every_k_schedule(0) if callable(every_k_schedule) else every_k_schedule
            super().__init__(opt, lambda _: first, **options)

    return {"MultiSteps": MultiSteps}


@mutant("optax", kills=[_CONDITIONS + "skipping_keeps_the_types_of_the_state"])
def nothing_was_skipped_at_first(optax):
    """The first state of `MultiSteps` tells nothing of skipped updates."""

    class MultiSteps(optax.MultiSteps):
        def init(self, params):
            return super().init(params)._replace(skip_state=())

    return {"MultiSteps": MultiSteps}


@mutant("optax", kills=[_CONDITIONS + "the_wrapped_transformation_is_there"])
def the_wrapped_transformation_is_another(optax):
    """`MultiSteps.inner_opt` gives zeros."""

    class MultiSteps(optax.MultiSteps):
        @property
        def inner_opt(self):
            return optax.set_to_zero()

    return {"MultiSteps": MultiSteps}


@mutant("optax", kills=[_MONITORING + "a_snapshot_is_of_the_last_updates"])
def snapshots_stay_as_they_were(optax):
    """`snapshot` keeps its first measurement."""

    def snapshot(name, measure):
        tx = optax.snapshot(name, measure)
        return tx._replace(update=lambda updates, state, params=None: (updates, state))

    return {"snapshot": snapshot}


@mutant("optax", kills=[_MONITORING + "measurements_are_those_of_each_step"])
def averages_are_biased(optax):
    """`measure_with_ema` corrects no bias by default."""

    def measure(function, decay, debias=False, **options):
        return optax.measure_with_ema(function, decay, debias, **options)

    return {"measure_with_ema": measure}


@mutant("optax", kills=[_MONITORING + "measurements_get_all_arguments"])
def measurements_get_no_parameters(optax):
    """`monitor` withholds the parameters."""

    def monitor(measures):
        tx = optax.monitor(measures)
        update = lambda updates, state, params=None, **extra: tx.update(updates, state, **extra)
        return tx._replace(update=update)

    return {"monitor": monitor}


@mutant("optax", kills=[_MASKING + "masks_apply_to_arguments_on_demand"])
def arguments_are_never_masked(optax):
    """`masked` hands every extra argument on as it is."""
    return {"masked": lambda inner, mask, **_: optax.masked(inner, mask)}


@mutant("optax", kills=[_MASKING + "labels_apply_to_arguments_on_demand"])
def labels_are_for_updates_alone(optax):
    """`multi_transform` hands every extra argument on as it is."""
    return {"multi_transform": lambda inner, labels, **_: optax.multi_transform(inner, labels)}


@mutant("optax", kills=[_MASKING + "arguments_are_whole_by_default"])
def arguments_are_always_masked(optax):
    """`multi_transform` always gives each transformation its part of an extra argument."""

    def multi(transforms, labels, **_):
        return optax.multi_transform(transforms, labels, mask_compatible_extra_args=True)

    return {"multi_transform": multi}


@mutant("optax", kills=[_MASKING + "parameters_may_be_left_out"])
def missing_parameters_become_updates(optax):
    """`masked` takes the updates for missing parameters."""

    def masked(inner, mask, **options):
        tx = optax.masked(inner, mask, **options)

        def update(updates, state, params=None, **extra):
            return tx.update(updates, state, updates if params is None else params, **extra)

        return tx._replace(update=update)

    return {"masked": masked}


@mutant("optax", kills=[_MASKING + "functions_of_the_tree_choose"])
def functions_get_the_first_array(optax):
    """`masked` gives a function of the tree an array in place of each."""

    def masked(inner, mask, **options):
        if not callable(mask):
            return optax.masked(inner, mask, **options)
        scalars = lambda tree: jtu.tree_map(lambda _: jnp.float32(0), tree)
        return optax.masked(inner, lambda tree: mask(scalars(tree)), **options)

    return {"masked": masked}


@mutant("optax", kills=["optax.formulas.an_opaque_update_is_a_period_of_updates"])
def opaque_steps_skip_their_adversary(optax):
    """`sam` with `opaque_mode=True` takes the step of the outer optimiser alone."""

    def sam(outer, adversary, **options):
        plain = optax.contrib.sam(outer, adversary, **options)
        alone = lambda grads, state, params, grad_fn: outer.update(grads, state, params)
        return plain._replace(init=outer.init, update=alone) if options["opaque_mode"] else plain

    return {"contrib.sam": sam}


@mutant("optax", kills=["optax.formulas.parameters_for_evaluation_are_an_average"])
def the_last_parameters_are_evaluated(optax):
    """`schedule_free_eval_params` gives the parameters of the inner optimiser."""
    return {"contrib.schedule_free_eval_params": lambda state, params: state.z}
