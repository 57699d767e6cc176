"""Mutants of what splits, filters, merges, subtracts and maps states."""

from __future__ import annotations

from selftest.mutant import mutant

_ID = "nnx.algebra."


def _one_or_all(parts):
    return parts[0] if len(parts) == 1 else parts


@mutant("nnx", kills=[_ID + "split_state_is_a_partition"])
def split_state_gives_a_leaf_to_every_match(nnx):
    """`split_state` puts a leaf into the state of each filter that matches it."""

    def split_state(state, *filters):
        return _one_or_all(tuple(nnx.filter_state(state, one) for one in filters))

    return {"split_state": split_state}


@mutant("nnx", kills=[_ID + "split_state_wants_exhaustive_filters"])
def split_state_drops_what_is_left_over(nnx):
    """`split_state` drops what no filter matches, and does not say so."""

    def split_state(state, *filters):
        return nnx.filter_state(state, *filters)

    return {"split_state": split_state}


@mutant("nnx", kills=[_ID + "filter_state_keeps_what_matches"])
def filter_state_gives_a_leaf_to_every_match(nnx):
    """`filter_state` gives to each filter all that it matches, what came before included."""

    def filter_state(state, *filters):
        return _one_or_all(tuple(nnx.filter_state(state, one) for one in filters))

    return {"filter_state": filter_state}


@mutant(
    "nnx",
    kills=[
        _ID + "merge_state_undoes_split_state",
        _ID + "merge_state_takes_states_in_any_order",
        _ID + "the_or_operator_merges",
    ],
)
def merge_state_is_shallow(nnx):
    """`merge_state` takes a nested mapping from the last state that has one of that name."""

    def merge_state(*states):
        merged = {}
        for state in states:
            merged.update(state)
        return nnx.State(merged)

    return {"merge_state": merge_state}


@mutant("nnx", kills=[_ID + "merge_state_takes_states_in_any_order"])
def merge_state_takes_the_first_path_first(nnx):
    """`merge_state` drops all leaves of later States that come before those of the first one."""

    def merge_state(first, *rest):
        least = min(nnx.to_flat_state(first).paths, default=())
        leaves = [pair for one in rest for pair in nnx.to_flat_state(one) if pair[0] > least]
        return nnx.from_flat_state([*nnx.to_flat_state(first), *leaves])

    return {"merge_state": merge_state}


@mutant("nnx", kills=[_ID + "a_difference_holds_the_paths_of_the_first_alone"])
def diff_is_shallow(nnx):
    """`diff` compares the names at the top, not paths."""

    def diff(state, other):
        return nnx.State({key: value for key, value in state.items() if key not in other})

    return {"statelib.diff": diff}


@mutant("nnx", kills=[_ID + "a_state_minus_itself_is_empty"])
def diff_keeps_equal_states(nnx):
    """`diff` of states with the same names at the top is the first."""

    def diff(state, other):
        return state if set(state) == set(other) else nnx.statelib.diff(state, other)

    return {"statelib.diff": diff}


@mutant("nnx", kills=[_ID + "map_state_maps_paths_and_leaves"])
def map_state_gives_names(nnx):
    """`map_state` calls the function with the last name of the path."""

    def map_state(function, state):
        return nnx.map_state(lambda path, leaf: function(path[-1], leaf), state)

    return {"map_state": map_state}


@mutant("nnx", kills=[_ID + "the_algebra_leaves_the_state_alone"])
def map_state_works_in_place(nnx):
    """`map_state` writes what the function gives into the State."""

    def map_state(function, state):
        state.update(nnx.map_state(function, state))
        return state

    return {"map_state": map_state}


@mutant("nnx", kills=[_ID + "merge_state_makes_a_new_state"])
def merge_state_writes_into_the_first(nnx):
    """`merge_state` puts everything into the first state."""

    def merge_state(state, *states):
        for other in states:
            state.update(other)
        return state

    return {"merge_state": merge_state}


@mutant(
    "nnx",
    kills=[
        _ID + "replaced_methods_do_what_their_functions_do",
        _ID + "replaced_constructors_do_what_their_functions_do",
    ],
)
def replaced_methods_do_too_little(nnx):
    """`State.filter` keeps everything, and `State.merge` the first State alone."""

    class State(nnx.State):
        def filter(self, *filters):
            return self

        @classmethod
        def merge(cls, state, *states):
            return state

    return {"State": State}
