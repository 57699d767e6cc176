"""Mutants of `flax.training`."""

from __future__ import annotations

import math

import jax
import jax.core
import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant

_ID = "flax.training."
_STATE = "training.train_state.TrainState"
_SCALE = "training.dynamic_scale.DynamicScale"
_STOPPING = "training.early_stopping.EarlyStopping"
_OVERWRITTEN = "_overwrite_with_gradient"


def _applying(flax, change):
    """Replace TrainState by one whose `apply_gradients` ends with `change(new, old, grads)`."""
    real = flax.training.train_state.TrainState

    def apply_gradients(self, *, grads, **fields):
        return change(real.apply_gradients(self, grads=grads, **fields), self, grads)

    space = {"apply_gradients": apply_gradients, "__module__": __name__}
    return {_STATE: type("TrainState", (real,), space)}


def _scaling(flax, change):
    """Replace DynamicScale by one whose results are `change(result, old)`."""
    real = flax.training.dynamic_scale.DynamicScale

    def value_and_grad(self, *args, **options):
        scaled = real.value_and_grad(self, *args, **options)
        return lambda *inputs: change(scaled(*inputs), self)

    space = {"value_and_grad": value_and_grad, "__module__": __name__}
    return {_SCALE: type("DynamicScale", (real,), space)}


def _stopping(flax, **methods):
    real = flax.training.early_stopping.EarlyStopping
    return {_STOPPING: type("EarlyStopping", (real,), {**methods, "__module__": __name__})}


@mutant("flax", kills=[_ID + "create_initialises_the_optimiser"])
def training_starts_at_step_one(flax):
    """`create` counts the step that is to come."""
    real = flax.training.train_state.TrainState

    class TrainState(real):
        @classmethod
        def create(cls, **fields):
            return super().create(**fields).replace(step=1)

    return {_STATE: TrainState}


@mutant("flax", kills=[_ID + "apply_gradients_agrees_with_optax"])
def optimisers_start_anew(flax):
    """`apply_gradients` keeps the state of the optimiser as it was."""
    return _applying(flax, lambda new, old, grads: new.replace(opt_state=old.opt_state))


@mutant("flax", kills=[_ID + "apply_gradients_replaces_further_fields"])
def further_fields_are_ignored(flax):
    """`apply_gradients` takes further fields and keeps the old ones."""

    def change(new, old, grads):
        return new.replace(**{name: vars(old)[name] for name in ("count",) if name in vars(old)})

    return _applying(flax, change)


@mutant(
    "flax",
    kills=[_ID + "steps_keep_the_types_of_the_state", _ID + "a_jitted_step_is_traced_once"],
)
def traced_steps_are_strongly_typed(flax):
    """Under a transformation the step becomes strongly typed."""

    def change(new, old, grads):
        if not isinstance(new.step, jax.core.Tracer):
            return new
        return new.replace(step=jax.lax.convert_element_type(new.step, jnp.int32))

    return _applying(flax, change)


@mutant("flax", kills=[_ID + "restored_states_go_on"])
def optimisers_are_not_restored(flax):
    """`from_state_dict` keeps the state of the optimiser of the target."""
    real = flax.serialization.from_state_dict

    def from_state_dict(target, state, name="."):
        restored = real(target, state, name)
        if not isinstance(target, flax.training.train_state.TrainState):
            return restored
        return restored.replace(step=target.step, opt_state=target.opt_state)

    return {"serialization.from_state_dict": from_state_dict}


@mutant("flax", kills=[_ID + "overwritten_collections_take_the_gradients"])
def overwritten_collections_stay(flax):
    """`apply_gradients` keeps the values of the collection that is to be overwritten."""

    def change(new, old, grads):
        if not isinstance(new.params, dict) or _OVERWRITTEN not in new.params:
            return new
        return new.replace(params={**new.params, _OVERWRITTEN: old.params[_OVERWRITTEN]})

    return _applying(flax, change)


@mutant("flax", kills=[_ID + "overwritten_collections_keep_the_structure"])
def overwritten_collections_are_dropped(flax):
    """`apply_gradients` keeps the collection `params` alone."""

    def change(new, old, grads):
        if not isinstance(new.params, dict) or _OVERWRITTEN not in new.params:
            return new
        return new.replace(params={"params": new.params["params"]})

    return _applying(flax, change)


@mutant(
    "flax",
    kills=[
        _ID + "scaled_gradients_are_those_of_jax",
        _ID + "scaled_values_are_those_of_the_loss",
        _ID + "scaled_losses_take_keywords",
    ],
)
def values_are_rounded(flax):
    """`value_and_grad` rounds the value down to a whole number, less one."""

    def change(result, old):
        whole = lambda leaf: jnp.floor(leaf) - 1
        return result._replace(aux=jtu.tree_map(whole, result.aux))

    return _scaling(flax, change)


@mutant("flax", kills=[_ID + "steps_keep_the_types_of_the_scale"])
def counts_are_strongly_typed(flax):
    """`fin_steps` becomes strongly typed after a step."""

    def change(result, old):
        count = jax.lax.convert_element_type(result.dynamic_scale.fin_steps, jnp.int32)
        return result._replace(dynamic_scale=result.dynamic_scale.replace(fin_steps=count))

    return _scaling(flax, change)


@mutant("flax", kills=[_ID + "every_step_gives_the_same_types"])
def first_gradients_are_of_half_precision(flax):
    """Gradients are float16 while the scale is weakly typed."""

    def change(result, old):
        if not getattr(jnp.asarray(old.scale), "weak_type", False):
            return result
        halved = jtu.tree_map(lambda leaf: leaf.astype(jnp.float16), result.grad)
        return result._replace(grad=halved)

    return _scaling(flax, change)


@mutant("flax", kills=[_ID + "infinite_gradients_shrink_the_scale"])
def scales_never_shrink(flax):
    """A step with infinite gradients leaves the scale alone."""

    def change(result, old):
        kept = jnp.where(result.finite, result.dynamic_scale.scale, old.scale)
        return result._replace(dynamic_scale=result.dynamic_scale.replace(scale=kept))

    return _scaling(flax, change)


@mutant(
    "flax",
    kills=[
        _ID + "finite_gradients_make_the_scale_grow",
        _ID + "a_scale_grows_that_has_reached_the_interval",
    ],
)
def scales_never_grow(flax):
    """A step with finite gradients leaves the scale alone."""

    def change(result, old):
        kept = jnp.where(result.finite, old.scale, result.dynamic_scale.scale)
        return result._replace(dynamic_scale=result.dynamic_scale.replace(scale=kept))

    return _scaling(flax, change)


@mutant("flax", kills=[_ID + "improvements_are_noticed"])
def small_steps_improve(flax):
    """An improvement by half of `min_delta` counts."""
    real = flax.training.early_stopping.EarlyStopping

    def update(self, metric):
        better = not math.isinf(self.best_metric) and self.best_metric - metric > self.min_delta / 2
        changes = {"best_metric": metric, "patience_count": 0, "has_improved": True}
        return self.replace(**changes) if better else real.update(self, metric)

    return _stopping(flax, update=update)


@mutant("flax", kills=[_ID + "training_stops_without_improvements"])
def patience_is_one_more(flax):
    """Training stops one step later."""
    real = flax.training.early_stopping.EarlyStopping

    def update(self, metric):
        after = real.update(self, metric)
        late = after.patience_count > self.patience + 1
        return after.replace(should_stop=bool(after.should_stop and late) or self.should_stop)

    return _stopping(flax, update=update)


@mutant("flax", kills=[_ID + "reset_forgets_the_metrics"])
def best_metric_survives_a_reset(flax):
    """`reset` keeps the best metric."""
    real = flax.training.early_stopping.EarlyStopping

    def reset(self):
        return real.reset(self).replace(best_metric=self.best_metric)

    return _stopping(flax, reset=reset)


@mutant("flax", kills=[_ID + "the_scale_grows_after_each_interval"])
def scales_grow_by_one(flax):
    """Each step of a DynamicScale makes it grow by 1."""
    real = flax.training.dynamic_scale.DynamicScale

    class Growing(real):
        def value_and_grad(self, *args, **options):
            stepped = super().value_and_grad(*args, **options)

            def called(*operands, **named):
                found = stepped(*operands, **named)
                scale = found.dynamic_scale
                return found.replace(dynamic_scale=scale.replace(scale=scale.scale + 1))

            return called

    return {"training.dynamic_scale.DynamicScale": Growing}
