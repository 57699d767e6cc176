"""Equinox: `make_with_state`, which splits a model and its state; `StateIndex` as a key."""

from __future__ import annotations

import jax
import jax.tree_util as jtu

from hypothesis_pytrees import arrays, cases, trees
from hypothesis_pytrees.equinox.states import odd_states, stateful_models
from hypothesis_pytrees.equinox.states_layers import stateful_layers
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same, true

from ._functions import counted
from ._state_inputs import CODE, DOCS, FRESH, MODELS, STATE, clone
from .state import each_state_starts_as_given

law = Topic("equinox.state.model", "Equinox: make_with_state, models and indices", family="equinox")
_MAKE = f"{DOCS}#equinox.nn.make_with_state"
_KEY = f"{DOCS}#equinox.nn.StateIndex"
_COMPATIBLE = "https://github.com/patrick-kidger/equinox/issues/450"
_DIRECT = "https://github.com/patrick-kidger/equinox/pull/466"
_PRINTED = "https://github.com/patrick-kidger/equinox/issues/1050"
_PARTED = STATE | {"nn.delete_init_state"}
_ALIASED = stateful_models(stateful_layers(alias=True), alias=True)


@law(
    "the leaves of a model from `make_with_state` are those that its constructor set, without the"
    " initial states",
    source=_MAKE,
    needs=STATE,
    case=stateful_models(stateful_layers(norms=True)),
)
def model_leaves_are_the_users(lib, case):
    model, _ = lib.nn.make_with_state(case.make)()
    kept = jtu.tree_map(
        lambda node: None if case.is_index(node) else node, case.make(), is_leaf=case.is_index
    )
    same(jtu.tree_leaves(model), jtu.tree_leaves(kept))


@law(
    "a model from `make_with_state` has the structure that its constructor built, with the indices"
    " in their places",
    source=_MAKE,
    needs=STATE,
    case=stateful_models(stateful_layers(norms=True)),
)
def a_model_keeps_its_structure(lib, case):
    model, _ = lib.nn.make_with_state(case.make)()
    got = jtu.tree_map(case.is_index, model, is_leaf=case.is_index)
    same(got, jtu.tree_map(case.is_index, case.make(), is_leaf=case.is_index))


@law(
    "`make_with_state(f)()` equals `(delete_init_state(f()), State(f()))`",
    source=f"{CODE}#L299-L307",
    level="should",
    needs=_PARTED,
    case=_ALIASED,
    parents=(each_state_starts_as_given,),
)
def making_is_parting(lib, case):
    made = case.make()
    state, model = lib.nn.State(made), lib.nn.delete_init_state(made)
    got_model, got_state = lib.nn.make_with_state(case.make)()
    same(jtu.tree_leaves(got_model), jtu.tree_leaves(model))
    same(jtu.tree_leaves(got_state), jtu.tree_leaves(state))
    same([state.get(index) for index in case.indices_of(made)], case.given)


@law(
    "an index that occurs at several places of a model is one key, and has one state",
    source=_KEY,
    level="should",
    needs=STATE,
    case=stateful_models(stateful_layers(alias=True), alias=True, history=True),
    parents=(each_state_starts_as_given,),
)
def one_index_is_one_state(lib, case):
    marks = [jtu.tree_structure(index) for index in case.indices_of(case.make())]
    for place, index in enumerate(case.indices):
        state = clone(case.state).set(index, case.others[place])
        twins = [i for i, mark in enumerate(marks) if mark == marks[place]]
        got = [state.get(case.indices[i]) for i in twins]
        same(got, [case.others[place]] * len(twins))


@law(
    "`State(model)` takes the initial states of a model made without `make_with_state`",
    source=_DIRECT,
    level="should",
    needs=_PARTED,
    case=_ALIASED,
)
def a_state_can_be_made_of_a_model(lib, case):
    made = case.make()
    for model in (made, lib.nn.delete_init_state(made)):
        state = lib.nn.State(made)
        same([state.get(index) for index in case.indices_of(model)], case.given)


@law(
    "`State(model)` raises ValueError if the initial states of the model were deleted",
    source=f"{CODE}#L127-L131",
    level="should",
    needs=_PARTED,
    case=MODELS,
)
def a_state_of_a_model_without_initial_states_is_refused(lib, case):
    refuses(ValueError, lambda: lib.nn.State(case.model))
    refuses(ValueError, lambda: lib.nn.State(lib.nn.delete_init_state(case.make())))


@law(
    "`delete_init_state` is idempotent, and does not change a model from `make_with_state`",
    source=f"{CODE}#L286-L316",
    level="should",
    needs=_PARTED,
    case=MODELS,
)
def deleting_twice_is_deleting_once(lib, case):
    same(lib.nn.delete_init_state(case.model), case.model)


@law(
    "each index is hashable, and a different key than every other index",
    source=DOCS,
    needs=STATE,
    case=MODELS,
    parents=(each_state_starts_as_given,),
)
def each_index_is_a_key_of_its_own(lib, case):
    keys = {index: place for place, index in enumerate(case.indices)}
    true(len(keys) == len(case.indices), case.indices, "as many keys as indices")
    again = case.indices_of(case.model)
    same([keys[index] for index in again], list(range(len(again))))


@law(
    "two builds of one model have equal structures, and equal states if the arrays of the state"
    " were initialised",
    source=_COMPATIBLE,
    level="should",
    needs=STATE,
    case=stateful_models(stateful_layers(norms=True, uninitialised=False, nested=True)),
)
def equal_builds_have_equal_structures(lib, case):
    again = case.rebuild()
    same(again.model, case.model)
    same(again.state, case.state)


@law(
    "an index of one build of a model finds its value in the state of another build",
    source=_COMPATIBLE,
    level="should",
    needs=STATE,
    case=MODELS,
    parents=(each_state_starts_as_given,),
)
def builds_of_one_model_are_compatible(lib, case):
    state = case.rebuild().state
    for index, value in zip(case.indices, case.others, strict=True):
        state = state.set(index, value)
    same([state.get(index) for index in case.indices], case.others)
    updated = case.state.update(state)
    same([updated.get(index) for index in case.indices], case.others)


@law(
    "a model that is built again, and its state, do not retrace a jitted function",
    source="https://docs.kidger.site/equinox/faq/"
    "#i-think-my-function-is-being-recompiled-each-time-it-is-run",
    needs=STATE | {"filter_jit"},
    level="should",
    case=stateful_models(stateful_layers(arrays()), kinds=(), max_layers=1),
    parents=(equal_builds_have_equal_structures, each_state_starts_as_given),
)
def an_equal_build_does_not_retrace(lib, case):
    body, traces = counted(lambda model, state: [state.get(i) for i in case.indices_of(model)])
    jitted = lib.filter_jit(body)
    for build in (case, case.rebuild()):
        same(jitted(build.model, build.state), case.given)
    true(len(traces) == 1, len(traces), "one trace")


@law(
    "an index can be passed to a function like any other argument, compiled or not",
    source="https://github.com/patrick-kidger/equinox/pull/843",
    level="should",
    needs=STATE,
    case=stateful_models(history=True, max_layers=1),
    parents=(each_state_starts_as_given,),
)
def an_index_is_an_argument(lib, case):
    equal(jtu.tree_leaves(case.indices), [])
    traced = jax.eval_shape(
        lambda state, indices: [state.get(i) for i in indices], case.state, case.indices
    )
    same(traced, jax.eval_shape(lambda: case.given))


@law(
    "`repr` returns a string for every state and its model, however the state was made and"
    " whatever it holds",
    source=_PRINTED,
    level="should",
    needs=STATE,
    case=odd_states(MODELS),
    parents=(each_state_starts_as_given,),
)
def every_state_prints(lib, case):
    true(repr(case.odd).startswith("State("), repr(case.odd), "State(...)")
    true(isinstance(repr(case.model), str), repr(case.model), "text")


@law(
    "after `set`, the `repr` of the old state still works, and differs from that of the new state",
    source=_PRINTED,
    level="should",
    needs=STATE,
    case=FRESH,
    parents=(each_state_starts_as_given,),
)
def an_old_state_prints(lib, case):
    old, new = case.state, case.state.set(case.indices[0], case.others[0])
    true(repr(old).startswith("State("), repr(old), "State(...)")
    true(repr(old) != repr(new), repr(old), f"not {new!r}")


@law(
    "`make_with_state` returns an empty state for a model without an index",
    source=_MAKE,
    needs=STATE,
    case=cases(tree=trees()),
)
def a_model_without_indices_has_no_state(lib, case):
    model, state = lib.nn.make_with_state(lambda: case.tree)()
    same(model, case.tree)
    equal(jtu.tree_leaves(state), [])
    same(state.substate(model), state)


@law(
    "`make_with_state(f)(*args, **kwargs)` passes its arguments to `f`",
    source=_MAKE,
    needs=STATE,
    case=stateful_models(max_layers=1),
)
def arguments_are_passed_on(lib, case):
    seen = []
    make = lib.nn.make_with_state(
        lambda *args, **kwargs: seen.append((args, kwargs)) or case.make()
    )
    model, state = make(1, case.model, self=2, make_model=3)
    same(seen, [((1, case.model), {"self": 2, "make_model": 3})])
    same((model, state), (case.model, case.state))
