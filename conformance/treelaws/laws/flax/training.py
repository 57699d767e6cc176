"""Flax: training states of Linen compared with Optax."""

from __future__ import annotations

import functools

import jax
import jax.tree_util as jtu

from hypothesis_pytrees.flax.training import overwritten_states, train_states
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same, true

from .serialization import state_dict_restores_the_tree

law = Topic("flax.training", "Flax: training states", family="flax")
_DOCS = "https://flax-linen.readthedocs.io/en/latest/api_reference/flax.training.html"
_STATE = f"{_DOCS}#flax.training.train_state.TrainState"
_APPLY = f"{_STATE}.apply_gradients"
_SAVED = (
    "https://flax-linen.readthedocs.io/en/latest/guides/training_techniques/use_checkpointing.html"
)
_FP8 = "https://flax-linen.readthedocs.io/en/latest/guides/quantization/fp8_basics.html"
_OVERWRITTEN = "_overwrite_with_gradient"
_NEEDS = {"training.train_state.TrainState", "optax"}


@law(
    "`TrainState.create` holds what it is given, `step=0`, and the state of `tx.init(params)`",
    source=f"{_STATE}.create",
    level="should",
    needs=_NEEDS,
    case=train_states(),
)
def create_initialises_the_optimiser(lib, case):
    """The annotation of parameters is FrozenDict, so other trees are not promised literally."""
    state = _created(lib, case)
    equal(state.step, 0)
    same(state.params, case.params, identical=True)
    same(state.opt_state, case.tx.init(case.params))
    true(state.tx is case.tx and state.apply_fn is max, state, "the given `tx` and `apply_fn`")


@law(
    "`apply_gradients` does what `tx.update` and `optax.apply_updates` do, and counts the step",
    source=_APPLY,
    level="should",
    needs=_NEEDS,
    case=train_states(),
    parents=[create_initialises_the_optimiser],
)
def apply_gradients_agrees_with_optax(lib, case):
    state, params, inner = _created(lib, case), case.params, case.tx.init(case.params)
    for step in (1, 2):
        state = state.apply_gradients(grads=case.grads)
        updates, inner = case.tx.update(case.grads, inner, params)
        params = case.apply_updates(params, updates)
        same((state.step, state.params, state.opt_state), (step, params, inner))


@law(
    "`apply_gradients` replaces the further fields that it is given, keeps the others, and "
    "does not change the old state",
    source=_APPLY,
    level="should",
    needs=_NEEDS,
    case=train_states(),
    parents=[apply_gradients_agrees_with_optax],
)
def apply_gradients_replaces_further_fields(lib, case):
    kind, fields = _extended(lib.training.train_state.TrainState), {"count": 1, "kept": [2]}
    state = _created(lib, case, kind, **fields)
    after = state.apply_gradients(grads=case.grads, count=case.grads, apply_fn=min)
    equal((type(after), after.apply_fn, after.kept), (kind, min, [2]))
    same(after.count, case.grads, identical=True)
    equal((state.step, state.count, state.apply_fn), (0, 1, max))
    same(state.params, case.params, identical=True)
    refuses(TypeError, lambda: state.apply_gradients(grads=case.grads, unknown=1))


@law(
    "the structure, types and weak types of a TrainState stay over steps, so that `jit` compiles "
    "a step once",
    source=_STATE,
    level="should",
    needs=_NEEDS,
    case=train_states(),
    parents=[apply_gradients_agrees_with_optax],
)
def steps_keep_the_types_of_the_state(lib, case):
    start = jax.eval_shape(lambda given: given, _created(lib, case))
    once = jax.eval_shape(
        lambda state, grads: state.apply_gradients(grads=grads), start, case.grads
    )
    same_types(once, start)


@law(
    "`jit` traces a step of a TrainState once, and keeps its static fields",
    source=_STATE,
    level="should",
    needs=_NEEDS,
    case=train_states(),
    parents=[steps_keep_the_types_of_the_state],
)
def a_jitted_step_is_traced_once(lib, case):
    state, traces = _created(lib, case), []
    step = jax.jit(lambda state, grads: (traces.append(1), state.apply_gradients(grads=grads))[1])
    for count in (1, 2, 3):
        state = step(state, case.grads)
        equal((int(state.step), len(traces)), (count, 1))
    true(state.tx is case.tx and state.apply_fn is max, state, "the given `tx` and `apply_fn`")


@law(
    "a TrainState that was saved and restored into a new one goes on as the saved one does",
    source=_SAVED,
    level="should",
    needs=_NEEDS | {"serialization"},
    case=train_states(saved=True),
    parents=[apply_gradients_agrees_with_optax, state_dict_restores_the_tree],
)
def restored_states_go_on(lib, case):
    state = _created(lib, case).apply_gradients(grads=case.grads)
    saved = lib.serialization.to_state_dict(state)
    restored = lib.serialization.from_state_dict(_created(lib, case), saved)
    same(restored, state)
    after = (one.apply_gradients(grads=case.grads) for one in (restored, state))
    same(next(after), next(after))


@law(
    "the gradients of the collection `_overwrite_with_gradient` replace its values, and Optax "
    "updates the collection `params` alone",
    source=_FP8,
    level="should",
    needs=_NEEDS,
    case=overwritten_states(),
    parents=[apply_gradients_agrees_with_optax],
)
def overwritten_collections_take_the_gradients(lib, case):
    held, given = case.params["params"], case.grads["params"]
    state = _created(lib, case)
    same(state.opt_state, case.tx.init(held))
    updates, inner = case.tx.update(given, state.opt_state, held)
    after = state.apply_gradients(grads=case.grads)
    same(after.params["params"], case.apply_updates(held, updates))
    same(after.params[_OVERWRITTEN], case.grads[_OVERWRITTEN])
    same(after.opt_state, inner)


@law(
    "`apply_gradients` keeps the structure of parameters with a collection that is overwritten",
    source=_STATE,
    level="should",
    needs=_NEEDS,
    case=overwritten_states(),
    parents=[overwritten_collections_take_the_gradients],
)
def overwritten_collections_keep_the_structure(lib, case):
    after = _created(lib, case).apply_gradients(grads=case.grads)
    equal(jtu.tree_structure(after.params), jtu.tree_structure(case.params))


def _created(lib, case, kind=None, **fields):
    kind = kind or lib.training.train_state.TrainState
    return kind.create(apply_fn=max, params=case.params, tx=case.tx, **fields)


@functools.cache
def _extended(base):
    """Return a subclass with two more fields; JAX would never forget a second one."""
    space = {"__annotations__": {"count": object, "kept": object}, "__module__": __name__}
    return type("Extended", (base,), space)


def same_types(got, wanted):
    """Check the structures, then shape, dtype and weak type of each leaf."""
    equal(jtu.tree_structure(got), jtu.tree_structure(wanted))
    pairs = zip(jtu.tree_leaves(got), jtu.tree_leaves(wanted), strict=True)
    for one, other in pairs:
        equal(_type(one), _type(other))


def _type(leaf):
    return leaf.shape, str(leaf.dtype), bool(leaf.weak_type)
