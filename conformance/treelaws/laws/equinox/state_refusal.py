"""Equinox: errors of `State`, which leave the state unchanged."""

from __future__ import annotations

from hypothesis_pytrees.equinox.states import used_states
from hypothesis_pytrees.equinox.states_pairs import misfits, no_indices, strangers
from treelaws.core.law import Topic
from treelaws.equality import refuses, same

from ._state_inputs import CODE, DOCS, MODELS, STATE, attempt, clone
from .state import each_state_starts_as_given

law = Topic("equinox.state.refusal", "Equinox: errors of State", family="equinox")
_SET = f"{DOCS}#equinox.nn.State.set"
_UPDATE = f"{DOCS}#equinox.nn.State.update"
_KEY = f"{DOCS}#equinox.nn.StateIndex"


@law(
    "every use of a state after `set` or `update` was called on it raises an error",
    source=_SET,
    needs=STATE,
    case=used_states(MODELS),
    parents=(each_state_starts_as_given,),
)
def an_old_state_is_invalid(lib, case):
    refuses(Exception, case.use)


@law(
    "every use of a state after `set` or `update` was called on it raises ValueError",
    source=f"{CODE}#L92-L97",
    needs=STATE,
    level="should",
    case=used_states(MODELS),
    parents=(each_state_starts_as_given, an_old_state_is_invalid),
)
def an_old_state_is_refused(lib, case):
    refuses(ValueError, case.use)


@law(
    "a value of another structure, shape or dtype raises ValueError, whichever way it enters the"
    " state",
    source=f"{CODE}#L172-L182",
    level="should",
    needs=STATE,
    case=misfits(),
)
def a_value_that_does_not_fit_is_refused(lib, case):
    refuses(ValueError, case.put)


@law(
    "a `set` or `update` that raises an error does not change the state",
    source=_SET,
    level="should",
    needs=STATE,
    case=misfits(),
)
def a_refused_set_costs_nothing(lib, case):
    before = clone(case.state)
    attempt(lambda: case.state.set(case.index, case.misfit))
    attempt(lambda: case.state.set([case.index], case.value))
    attempt(lambda: case.state.update({case.index: case.value}))
    same(case.state, before)


@law(
    "an index of one model is not found in the state of a model of another class",
    source=_KEY,
    level="should",
    needs=STATE,
    case=strangers(namesakes=False),
)
def an_index_finds_nothing_in_the_state_of_another_model(lib, case):
    refuses((KeyError, ValueError), lambda: case.state.get(case.index))
    refuses((KeyError, ValueError), lambda: case.state.set(case.index, case.value))
    refuses((KeyError, ValueError), lambda: case.state.substate(case.model))


@law(
    "`state.update(other)` raises ValueError if the keys of `other` are not a subset of those of"
    " `state`",
    source=_UPDATE,
    needs=STATE,
    level="should",
    case=strangers(namesakes=False),
)
def update_refuses_the_state_of_another_model(lib, case):
    refuses(ValueError, lambda: case.state.update(case.stranger))


@law(
    "models of different structures share no key, even if their classes have the same name",
    source=_KEY,
    level="should",
    needs=STATE,
    case=strangers(),
    parents=(
        an_index_finds_nothing_in_the_state_of_another_model,
        update_refuses_the_state_of_another_model,
    ),
)
def namesakes_share_no_key(lib, case):
    refuses((KeyError, ValueError), lambda: case.state.get(case.index))
    refuses((KeyError, ValueError), lambda: case.state.update(case.stranger))


@law(
    "`get` and `set` raise ValueError for a key that is not an index, `update` for an argument"
    " that is not a state",
    source=f"{CODE}#L148-L149",
    level="should",
    needs=STATE,
    case=no_indices(),
)
def what_is_no_index_is_refused(lib, case):
    refuses(ValueError, lambda: case.state.get(case.item))
    refuses(ValueError, lambda: case.state.set(case.item, case.value))
    refuses(ValueError, lambda: case.state.update(case.item))


@law(
    "`StateIndex` takes the initial value itself: it raises ValueError for a function that would"
    " make the value",
    source="https://github.com/patrick-kidger/equinox/pull/536",
    level="should",
    needs=STATE,
    case=no_indices(),
)
def a_function_is_no_start_of_a_state(lib, case):
    refuses(ValueError, lambda: lib.nn.StateIndex(lambda: case.value))
