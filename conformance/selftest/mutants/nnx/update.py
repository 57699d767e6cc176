"""Mutants of `state` and `update`."""

from __future__ import annotations

import jax.tree_util as jtu

from selftest.mutant import mutant
from treelaws.laws.nnx._model import kind_of, references, variables_of

from ._patching import attributes

_ID = "nnx.update."


@mutant("nnx", kills=[_ID + "state_is_that_of_split"])
def state_gives_variables_alone(nnx):
    """`state` leaves out the arrays that stand in no Variable."""

    def state(node, *filters, **options):
        found = nnx.state(node, *filters, **options)
        return found if filters else nnx.filter_state(found, nnx.Variable)

    return {"state": state}


@mutant("nnx", kills=[_ID + "state_gives_what_filters_match"])
def state_gives_a_leaf_to_every_match(nnx):
    """`state` gives to each filter all that it matches, what came before included."""

    def state(node, *filters, **options):
        if len(filters) < 2:
            return nnx.state(node, *filters, **options)
        return tuple(nnx.state(node, one, **options) for one in filters)

    return {"state": state}


@mutant("nnx", kills=[_ID + "state_gives_one_state_per_filter"])
def state_gives_a_tuple_for_one_filter(nnx):
    """`state` with one filter returns a tuple of one State."""

    def state(node, *filters, **options):
        found = nnx.state(node, *filters, **options)
        return (found,) if len(filters) == 1 else found

    return {"state": state}


@mutant("nnx", kills=[_ID + "its_own_state_changes_nothing"])
def update_marks_variables(nnx):
    """`update` leaves a mark in the metadata of each Variable."""

    def update(node, state, *states):
        nnx.update(node, state, *states)
        for _, variable in variables_of(node):
            variable.set_metadata(was_updated=True)

    return {"update": update}


@mutant("nnx", kills=[_ID + "its_own_state_changes_no_tree_of_arrays"])
def update_shortens_lists(nnx):
    """`update` drops the last item of a list."""

    def update(node, state, *states):
        nnx.update(node, state, *states)
        for _, _, value in attributes(node):
            if isinstance(value, list) and value:
                value.pop()

    return {"update": update}


@mutant("nnx", kills=[_ID + "what_was_put_is_what_one_gets"])
def update_knows_variables_alone(nnx):
    """`update` does not write arrays that stand in no Variable."""

    def update(node, state, *states):
        if isinstance(state, nnx.State):
            state = nnx.filter_state(state, nnx.Variable)
        nnx.update(node, state, *states)

    return {"update": update}


@mutant("nnx", kills=[_ID + "update_changes_what_the_state_holds_alone"])
def update_clears_the_rest(nnx):
    """`update` empties the Variables that the state does not hold."""

    def update(node, state, *states):
        nnx.update(node, state, *states)
        given = {id(leaf) for leaf in jtu.tree_leaves((state, states))}
        for _, variable in variables_of(node):
            if id(variable.get_raw_value()) not in given:
                variable.set_raw_value(())

    return {"update": update}


@mutant("nnx", kills=[_ID + "several_states_are_one_merged"])
def update_reads_the_first_state(nnx):
    """`update` does not look at any state but the first."""

    def update(node, state, *states):
        nnx.update(node, state)

    return {"update": update}


@mutant("nnx", kills=[_ID + "update_works_in_place"])
def update_puts_new_variables(nnx):
    """`update` puts a new Variable where one was."""

    def update(node, state, *states):
        nnx.update(node, state, *states)
        for owner, name, value in attributes(node):
            if isinstance(value, nnx.Variable):
                object.__setattr__(owner, name, value.copy())

    return {"update": update}


@mutant("nnx", kills=[_ID + "update_takes_nested_dicts_of_values"])
def update_takes_states_alone(nnx):
    """`update` does nothing with a dict."""

    def update(node, state, *states):
        if type(state) is not dict:
            nnx.update(node, state, *states)

    return {"update": update}


@mutant("nnx", kills=[_ID + "a_variable_alone_is_updated"])
def update_knows_modules_alone(nnx):
    """`update` does nothing where there is no module."""

    def update(node, state, *states):
        if any(kind_of(type(one)) == "object" for _, one in references(node)):
            nnx.update(node, state, *states)

    return {"update": update}


@mutant("nnx", kills=[_ID + "a_variable_alone_has_a_state"])
def state_knows_modules_alone(nnx):
    """`state` and `split` of a list or dict give an empty State."""

    def state(node, *filters, **options):
        if isinstance(node, (list, dict)):
            return nnx.State({})
        return nnx.state(node, *filters, **options)

    def split(node, *filters, **options):
        graphdef, *states = nnx.split(node, *filters, **options)
        empty = isinstance(node, (list, dict))
        return (graphdef, *(nnx.State({}) for _ in states)) if empty else (graphdef, *states)

    return {"state": state, "split": split}
