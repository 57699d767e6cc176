"""Equinox: `State` as a dictionary from indices to PyTrees of arrays."""

from __future__ import annotations

import jax.tree_util as jtu

from hypothesis_pytrees.equinox.states import parts
from treelaws.core.law import Topic
from treelaws.equality import refuses, same, true

from ._state_inputs import CODE, DOCS, MODELS, STATE, WITH_NORMS, clone, replaced_at, with_all_set

law = Topic("equinox.state", "Equinox: State, get, set, substate and update", family="equinox")
_GET = f"{DOCS}#equinox.nn.State.get"
_SET = f"{DOCS}#equinox.nn.State.set"
_SUBSTATE = f"{DOCS}#equinox.nn.State.substate"
_UPDATE = f"{DOCS}#equinox.nn.State.update"
_PARTS = parts(MODELS)


@law(
    "each state starts as the arrays that its `StateIndex` was made with",
    source=f"{DOCS}#equinox.nn.make_with_state",
    needs=STATE,
    case=WITH_NORMS,
)
def each_state_starts_as_given(lib, case):
    same([case.state.get(index) for index in case.indices], case.given)


@law(
    "`get` returns the value that was `set`, as arrays",
    source=_SET,
    needs=STATE,
    case=WITH_NORMS,
    parents=(each_state_starts_as_given,),
)
def get_gives_what_was_set(lib, case):
    state = case.state
    for index, value in zip(case.indices, case.others, strict=True):
        state = state.set(index, value)
    same([state.get(index) for index in case.indices], case.others)
    for index, value in zip(case.indices, case.started, strict=True):
        state = state.set(index, value)
    same([state.get(index) for index in case.indices], case.given)


@law(
    "setting the value that `get` returned changes nothing",
    source=_SET,
    needs=STATE,
    case=MODELS,
    parents=(each_state_starts_as_given,),
)
def setting_what_was_got_changes_nothing(lib, case):
    before, state = clone(case.state), case.state
    values = [state.get(index) for index in case.indices]
    for index, value in zip(case.indices, values, strict=True):
        state = state.set(index, value)
    same(state, before)


@law(
    "if `set` is called twice for an index, the last value counts",
    source=_SET,
    needs=STATE,
    case=MODELS,
    parents=(get_gives_what_was_set,),
)
def the_last_value_counts(lib, case):
    once = with_all_set(clone(case.state), case.indices, case.others)
    twice = with_all_set(clone(case.state), case.indices, case.given)
    same(with_all_set(twice, case.indices, case.others), once)


@law(
    "`set` changes the state of one index and no other",
    source=_SET,
    needs=STATE,
    case=MODELS,
    parents=(get_gives_what_was_set,),
)
def set_changes_no_other_state(lib, case):
    for place, index in enumerate(case.indices):
        state = clone(case.state).set(index, case.others[place])
        wanted = replaced_at([place], case.given, case.others)
        same([state.get(index) for index in case.indices], wanted)


@law(
    "a clone made by flattening and unflattening stays valid after the original is updated",
    source=f"{CODE}#L92-L97",
    needs=STATE,
    level="should",
    case=MODELS,
    parents=(each_state_starts_as_given,),
)
def a_clone_lives_on(lib, case):
    copy = clone(case.state)
    with_all_set(case.state, case.indices, case.others)
    same([copy.get(index) for index in case.indices], case.given)


@law(
    "`state.substate(part)` holds the values that `state` holds for the part",
    source=_SUBSTATE,
    needs=STATE,
    case=_PARTS,
    parents=(each_state_starts_as_given,),
)
def a_substate_holds_what_the_state_held(lib, case):
    part = case.state.substate(case.part)
    got = [part.get(case.indices[i]) for i in case.chosen]
    same(got, [case.given[i] for i in case.chosen])
    same([case.state.get(index) for index in case.indices], case.given)


@law(
    "`state.substate(part)` does not track an index outside of the part",
    source=_SUBSTATE,
    needs=STATE,
    case=_PARTS,
    parents=(a_substate_holds_what_the_state_held,),
)
def a_substate_tracks_its_part_only(lib, case):
    part = case.state.substate(case.part)
    for place, index in enumerate(case.indices):
        if place not in case.chosen:
            refuses((KeyError, ValueError), lambda index=index: part.get(index))


@law(
    "updating a state with an unchanged substate changes nothing",
    source=_UPDATE,
    needs=STATE,
    case=_PARTS,
    parents=(a_substate_holds_what_the_state_held,),
)
def updating_with_an_unchanged_substate_changes_nothing(lib, case):
    before = clone(case.state)
    same(case.state.update(case.state.substate(case.part)), before)


@law(
    "`state.update(substate)` takes every value of the substate and keeps all other values",
    source=_UPDATE,
    needs=STATE,
    case=_PARTS,
    parents=(a_substate_holds_what_the_state_held, get_gives_what_was_set),
)
def update_takes_the_values_of_the_substate(lib, case):
    indices = [case.indices[i] for i in case.chosen]
    part = case.state.substate(case.part)
    part = with_all_set(part, indices, [case.others[i] for i in case.chosen])
    state = case.state.update(part)
    wanted = replaced_at(case.chosen, case.given, case.others)
    same([state.get(index) for index in case.indices], wanted)
    same(state.substate(case.part), part)


@law(
    "setting a value in a substate does not change the original state before `update`",
    source=_SUBSTATE,
    needs=STATE,
    case=_PARTS,
    parents=(a_substate_holds_what_the_state_held,),
)
def a_substate_is_apart(lib, case):
    part = case.state.substate(case.part)
    for place in case.chosen:
        part = part.set(case.indices[place], case.others[place])
    same([case.state.get(index) for index in case.indices], case.given)


@law(
    "a state is a PyTree whose leaves are exactly the arrays that it maps to",
    source=f"{DOCS}#equinox.nn.State",
    needs=STATE,
    case=WITH_NORMS,
    parents=(each_state_starts_as_given,),
)
def the_leaves_of_a_state_are_its_arrays(lib, case):
    true(
        len(jtu.tree_leaves(case.state)) == len(jtu.tree_leaves(case.given)),
        jtu.tree_leaves(case.state),
        "as many leaves as the values have",
    )
    pairs = jtu.tree_map(lambda leaf: (leaf, leaf), case.state)
    wanted = jtu.tree_map(lambda leaf: (leaf, leaf), case.given)
    same([pairs.get(index) for index in case.indices], wanted)
