"""Optax: hyperparameters in every form, static arguments and schedules in a state."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.optax.injections import hyperparameters, wrapped_schedules
from treelaws.equality import equal, refuses, same

from ._inputs import CODE, DOCS, close
from .hyperparams import law

_PAGE = f"{DOCS}optimizer_schedules.html#optax.schedules"
_CASES = hyperparameters()


@law(
    "in each step, `inject_hyperparams` gives the updates of the transformation that is made with "
    "the numbers of the schedules for that step",
    source=f"{_PAGE}.inject_hyperparams",
    needs={"inject_hyperparams", "WrappedSchedule"},
    case=_CASES,
)
def a_schedule_is_asked_in_each_step(lib, case):
    tx = lib.inject_hyperparams(case.factory, case.static)(**case.given)
    state, inner = tx.init(case.params), case.factory(**case.at(0)).init(case.params)
    for step in range(3):
        plain = case.factory(**case.at(step))
        updates, state = tx.update(case.grads, state, case.params)
        wanted, inner = plain.update(case.grads, inner, case.params)
        close(updates, wanted)


@law(
    "`state.hyperparams` holds each number as it was in the last step",
    source=f"{_PAGE}.inject_hyperparams",
    needs={"inject_hyperparams", "WrappedSchedule"},
    case=_CASES,
)
def the_state_holds_every_number(lib, case):
    tx = lib.inject_hyperparams(case.factory, case.static)(**case.given)
    state = tx.init(case.params)
    for step in (0, 0, 1):
        held = {name: float(state.hyperparams[name]) for name in case.numbers}
        close(held, {name: float(case.at(step)[name]) for name in case.numbers})
        _, state = tx.update(case.grads, state, case.params)


@law(
    "`state.hyperparams` holds no static argument, bool or `None`",
    source=f"{_PAGE}.inject_hyperparams",
    level="should",
    needs={"inject_hyperparams", "WrappedSchedule"},
    case=_CASES,
    parents=(the_state_holds_every_number,),
)
def the_state_holds_no_other_argument(lib, case):
    tx = lib.inject_hyperparams(case.factory, case.static)(**case.given)
    state = tx.init(case.params)
    for _ in range(2):
        equal([name for name in case.others if name in state.hyperparams], [])
        _, state = tx.update(case.grads, state, case.params)


@law(
    "the next update uses a number that is put into `state.hyperparams` for one without a schedule",
    source=f"{_PAGE}.inject_hyperparams",
    needs={"inject_hyperparams", "WrappedSchedule"},
    case=_CASES,
    parents=(a_schedule_is_asked_in_each_step,),
)
def every_number_without_a_schedule_can_be_changed(lib, case):
    tx = lib.inject_hyperparams(case.factory, case.static)(**case.given)
    state, inner = tx.init(case.params), case.factory(**case.at(0)).init(case.params)
    changed = dict.fromkeys(case.fixed, 0.75)
    state.hyperparams.update(changed)
    updates, _ = tx.update(case.grads, state, case.params)
    plain = case.factory(**{**case.at(0), **changed})
    close(updates, plain.update(case.grads, inner, case.params)[0])


@law(
    "`hyperparam_dtype` is the dtype of all floating hyperparameters in the state",
    source=f"{_PAGE}.inject_hyperparams",
    needs={"inject_hyperparams", "WrappedSchedule"},
    case=_CASES,
    parents=(the_state_holds_every_number,),
)
def hyperparameters_have_the_dtype_asked_for(lib, case):
    tx = lib.inject_hyperparams(case.factory, case.static, case.dtype)(**case.given)
    state = tx.init(case.params)
    for _ in range(2):
        held = {name: state.hyperparams[name].dtype for name in case.numbers}
        equal(held, dict.fromkeys(case.numbers, jnp.dtype(case.dtype)))
        _, state = tx.update(case.grads, state, case.params)


@law(
    "`inject_hyperparams` raises ValueError if a static argument is not a parameter of the factory",
    source=f"{_PAGE}.inject_hyperparams",
    level="should",
    needs={"inject_hyperparams"},
    case=hyperparameters(schedules=False),
)
def an_unknown_static_argument_is_refused(lib, case):
    names = [*case.others, "no_such_parameter"]
    refuses(ValueError, lambda: lib.inject_hyperparams(case.factory, names))


@law(
    "after so many updates, `WrappedSchedule` gives what its schedule gives for their number",
    source=f"{CODE}schedules/_inject.py#L258-L259",
    needs={"WrappedSchedule"},
    case=wrapped_schedules(),
)
def a_wrapped_schedule_counts_its_updates(lib, case):
    wrapped = lib.WrappedSchedule(case.schedule)
    state = wrapped.init()
    for _ in range(case.steps):
        state = wrapped.update(state, **case.extra)
    same(wrapped(state, **case.extra), case.schedule(jnp.int32(case.steps)))
    same(jtu.tree_leaves(state), [jnp.int32(case.steps)])
