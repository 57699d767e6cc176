"""Mutants of `nnx.Optimizer` and `nnx.TrainState`."""

from __future__ import annotations

from typing import Any

import jax.tree_util as jtu

from selftest.mutant import mutant

_ID = "nnx.optimizer."


def _optimizer(nnx: Any, **methods: Any) -> dict[str, Any]:
    return {"Optimizer": type("Optimizer", (nnx.Optimizer,), methods)}


@mutant("nnx", kills=[_ID + "any_transformation_can_be_initialised"])
def placeholders_are_refused(nnx):
    """An Optimizer takes no state with placeholders."""

    def init(self, model, tx, **options):
        super(broken["Optimizer"], self).__init__(model, tx, **options)
        nodes = []
        jtu.tree_flatten(self.opt_state, is_leaf=lambda node: bool(nodes.append(node)))
        if any("MaskedNode" in repr(type(node)) for node in nodes):
            raise TypeError("a placeholder is no array")

    broken = _optimizer(nnx, __init__=init)
    return broken


@mutant(
    "nnx",
    kills=[
        _ID + "update_agrees_with_optax",
        _ID + "update_returns_the_updates",
    ],
)
def gradients_are_doubled(nnx):
    """`update` applies its updates twice."""

    def update(self, model, grads, **options):
        super(broken["Optimizer"], self).update(model, grads, **options)
        return super(broken["Optimizer"], self).update(model, grads, **options)

    broken = _optimizer(nnx, update=update)
    return broken


@mutant("nnx", kills=[_ID + "update_changes_what_wrt_selects"])
def update_touches_statistics(nnx):
    """`update` writes zeros into Variables that `wrt` does not select."""

    def update(self, model, grads, **options):
        result = super(broken["Optimizer"], self).update(model, grads, **options)
        for _, value in list(nnx.iter_graph(model)):
            if type(value) in (nnx.Cache, nnx.Intermediate, nnx.Variable):
                value.set_value(value.get_value() * 0 + 7)
        return result

    broken = _optimizer(nnx, update=update)
    return broken


@mutant("nnx", kills=[_ID + "update_counts_its_steps"])
def steps_are_not_counted(nnx):
    """`update` leaves `step` at zero."""

    def update(self, model, grads, **options):
        result = super(broken["Optimizer"], self).update(model, grads, **options)
        self.step.set_value(self.step.get_value() * 0)
        return result

    broken = _optimizer(nnx, update=update)
    return broken


@mutant("nnx", kills=[_ID + "update_keeps_the_structure_of_the_optimizer"])
def state_grows(nnx):
    """`update` notes in the Optimizer that it ran."""

    def update(self, model, grads, **options):
        self.updated = True
        return super(broken["Optimizer"], self).update(model, grads, **options)

    broken = _optimizer(nnx, update=update)
    return broken


@mutant("nnx", kills=[_ID + "a_copy_goes_on_as_the_original"])
def copies_begin_anew(nnx):
    """`clone` gives an Optimizer with zeros for its state."""

    def clone(node, **options):
        back = nnx.clone(node, **options)
        if isinstance(back, dict) and "optimizer" in back:
            back["optimizer"].step.set_value(back["optimizer"].step.get_value() + 1)
        return back

    return {"clone": clone}


@mutant("nnx", kills=[_ID + "update_under_jit_is_update"])
def jit_skips_the_optimizer(nnx):
    """What `jit` changes in its first argument does not come out."""

    def jit(function):
        inner = nnx.jit(function)
        return lambda first, *args: inner(nnx.clone(first), *args)

    return {"jit": jit}


@mutant("nnx", kills=[_ID + "model_and_optimizer_is_an_optimizer"])
def model_and_optimizer_takes_params_alone(nnx):
    """`ModelAndOptimizer` ignores `wrt`."""
    if not hasattr(nnx, "ModelAndOptimizer"):
        return {}
    return {"ModelAndOptimizer": lambda model, tx, wrt: nnx.ModelAndOptimizer(model, tx)}


@mutant("nnx", kills=[_ID + "train_state_agrees_with_optax"])
def train_state_counts_twice(nnx):
    """`apply_gradients` counts two steps."""

    class TrainState(nnx.TrainState):
        def apply_gradients(self, grads, **options):
            after = super().apply_gradients(grads, **options)
            return after.replace(step=after.step + 1)

    return {"TrainState": TrainState}


@mutant("nnx", kills=[_ID + "gradients_of_the_rest_do_not_count"])
def gradients_of_the_rest_are_refused(nnx):
    """`update` raises for gradients of what `wrt` does not select."""

    def update(self, model, grads, **options):
        whole = grads if isinstance(grads, nnx.State) else nnx.state(grads)
        chosen = nnx.state(model, self.wrt)
        if len(jtu.tree_leaves(whole)) > len(jtu.tree_leaves(chosen)):
            raise ValueError("the gradients hold more than wrt selects")
        return super(broken["Optimizer"], self).update(model, grads, **options)

    broken = _optimizer(nnx, update=update)
    return broken


@mutant("nnx", kills=[_ID + "graph_mode_is_the_default"])
def graph_mode_trains_nothing(nnx):
    """With `graph=True` an Optimizer selects no Variable."""

    def init(self, model, tx, *, wrt, **options):
        wrt = nnx.Nothing() if options.get("graph") else wrt
        super(broken["Optimizer"], self).__init__(model, tx, wrt=wrt, **options)

    broken = _optimizer(nnx, __init__=init)
    return broken


@mutant("nnx", kills=[_ID + "extra_arguments_reach_the_transformation"])
def extra_arguments_are_those_of_a_loss(nnx):
    """`update` hands on `value`, `grad` and `value_fn` alone."""

    def update(self, model, grads, **extra):
        held = {name: one for name, one in extra.items() if name in ("value", "grad", "value_fn")}
        return super(broken["Optimizer"], self).update(model, grads, **held)

    broken = _optimizer(nnx, update=update)
    return broken


@mutant("nnx", kills=[_ID + "update_with_the_loss_agrees_with_optax"])
def the_loss_is_lost(nnx):
    """`update` hands zero on as the value of the loss."""

    def update(self, model, grads, **extra):
        if "value" in extra:
            extra["value"] = extra["value"] * 0
        return super(broken["Optimizer"], self).update(model, grads, **extra)

    broken = _optimizer(nnx, update=update)
    return broken


@mutant("nnx", kills=[_ID + "compiled_steps_keep_the_types"])
def steps_become_signed(nnx):
    """`update` makes the count of steps an int32."""

    def update(self, model, grads, **extra):
        result = super(broken["Optimizer"], self).update(model, grads, **extra)
        self.step.set_value(self.step.get_value().astype("int32"))
        return result

    broken = _optimizer(nnx, update=update)
    return broken


@mutant("nnx", kills=[_ID + "train_states_go_through_loops"])
def train_states_count_in_floats(nnx):
    """`apply_gradients` makes the count of steps a float."""

    class TrainState(nnx.TrainState):
        def apply_gradients(self, grads, **options):
            after = super().apply_gradients(grads, **options)
            return after.replace(step=after.step.astype("float32"))

    return {"TrainState": TrainState}


@mutant("nnx", kills=[_ID + "train_states_have_further_fields"])
def train_states_lose_further_fields(nnx):
    """`create` does not hand on the values of fields of derived classes."""

    class TrainState(nnx.TrainState):
        @classmethod
        def create(cls, graphdef, *, params, tx, step=0, **fields):
            lost = dict.fromkeys(fields)
            return super().create(graphdef, params=params, tx=tx, step=step, **lost)

    return {"TrainState": TrainState}


@mutant("nnx", kills=[_ID + "extra_arguments_reach_it_with_the_model"])
def extra_arguments_are_lost_with_the_model(nnx):
    """`ModelAndOptimizer.update` does not hand its extra arguments on."""
    if not hasattr(nnx, "ModelAndOptimizer"):
        return {}

    class ModelAndOptimizer(nnx.ModelAndOptimizer):
        def update(self, grads, /, **extra):
            return super().update(grads)

    return {"ModelAndOptimizer": ModelAndOptimizer}
