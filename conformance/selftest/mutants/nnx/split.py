"""Mutants of `split`, `merge` and `unpack`."""

from __future__ import annotations

from typing import Any

import jax.tree_util as jtu

from selftest.mutant import mutant
from treelaws.laws.nnx._model import kind_of, variables_of

from ._patching import attributes, bare, forget

_ID = "nnx.split."


def _rest(nnx: Any, node: Any, filters: tuple[Any, ...], options: dict[str, Any]) -> Any:
    return nnx.split(node, *filters, ..., **options)


@mutant("nnx", kills=[_ID + "merge_undoes_split"])
def merge_drops_a_name(nnx):
    """`merge` forgets the tags of Variables."""

    def merge(*args, **options):
        return forget(nnx.merge(*args, **options), "tag")

    return {"merge": merge}


@mutant("nnx", kills=[_ID + "merge_undoes_split"])
def merge_makes_two_of_one(nnx):
    """`merge` makes a Variable anew for each reference to it."""

    def merge(*args, **options):
        module, seen = nnx.merge(*args, **options), set()
        for node, name, value in attributes(module):
            if isinstance(value, nnx.Variable):
                if id(value) in seen:
                    object.__setattr__(node, name, value.copy())
                seen.add(id(value))
        return module

    return {"merge": merge}


@mutant(
    "nnx",
    kills=[_ID + "merge_undoes_split_by_filters", _ID + "merge_takes_states_in_any_order"],
)
def merge_keeps_metadata_of_the_first_state(nnx):
    """`merge` takes the metadata of the first state alone."""

    def merge(graphdef, *states, **options):
        return nnx.merge(graphdef, *states[:1], *map(bare, states[1:]), **options)

    return {"merge": merge}


@mutant("nnx", kills=[_ID + "merge_takes_states_in_any_order"])
def merge_goes_by_the_order_of_states(nnx):
    """`merge` puts the leaves in the order in which it is given the states."""

    def merge(graphdef, *states, **options):
        if len(states) < 2 or not all(isinstance(state, nnx.State) for state in states):
            return nnx.merge(graphdef, *states, **options)
        leaves = [
            leaf
            for state in states
            for leaf in jtu.tree_leaves(state, is_leaf=lambda node: isinstance(node, nnx.Variable))
        ]
        return nnx.merge(graphdef, leaves, **options)

    return {"merge": merge}


@mutant(
    "nnx",
    kills=[_ID + "split_by_filters_is_a_partition", _ID + "the_first_match_takes_a_leaf"],
)
def split_gives_a_leaf_to_every_match(nnx):
    """`split` puts a leaf into the state of each filter that matches it."""

    def split(node, *filters, **options):
        graphdef, state = nnx.split(node, **options)
        if not filters or not isinstance(state, nnx.State):
            return nnx.split(node, *filters, **options)
        return graphdef, *(nnx.filter_state(state, one) for one in filters)

    return {"split": split}


@mutant("nnx", kills=[_ID + "filters_that_leave_something_over_are_refused"])
def split_drops_what_is_left_over(nnx):
    """`split` gives no state for what no filter matches, and does not say so."""

    def split(node, *filters, **options):
        parts = _rest(nnx, node, filters, options)
        return parts[:-1] if filters else parts

    return {"split": split}


@mutant("nnx", kills=[_ID + "everything_before_another_filter_is_refused"])
def split_lets_everything_come_first(nnx):
    """`split` takes `...` at any place."""

    def split(node, *filters, **options):
        spelled = (nnx.Everything() if one is ... or one is True else one for one in filters)
        return nnx.split(node, *spelled, **options)

    return {"split": split}


@mutant("nnx", kills=[_ID + "split_leaves_the_module_alone"])
def split_marks_variables(nnx):
    """`split` leaves a mark in the metadata of each Variable."""

    def split(node, *filters, **options):
        for _, variable in variables_of(node):
            variable.set_metadata(was_split=True)
        return nnx.split(node, *filters, **options)

    return {"split": split}


@mutant("nnx", kills=[_ID + "merge_uses_the_given_variables"])
def merge_always_copies(nnx):
    """`merge` makes Variables of its own, as up to 0.11.1."""

    def merge(*args, copy=True, **options):
        return nnx.merge(*args, copy=True, **options)

    return {"merge": merge}


@mutant("nnx", kills=[_ID + "merge_copies_on_demand"])
def merge_never_copies(nnx):
    """`merge` does not look at `copy`."""

    def merge(*args, copy=False, **options):
        return nnx.merge(*args, **options)

    return {"merge": merge}


@mutant("nnx", kills=[_ID + "trees_of_arrays_come_back"])
def trees_become_lists(nnx):
    """`merge` makes a list of the leaves of each PyTree on a module."""

    def merge(*args, **options):
        module = nnx.merge(*args, **options)
        for node, name, value in attributes(module):
            if kind_of(type(value)) == "" and not jtu.all_leaves((value,)):
                object.__setattr__(node, name, jtu.tree_leaves(value))
        return module

    return {"merge": merge}


@mutant("nnx", kills=[_ID + "a_variable_alone_goes_through_split_and_merge"])
def a_variable_alone_loses_its_type(nnx):
    """`merge` makes a plain Variable of one that stands alone."""

    def merge(*args, **options):
        node = nnx.merge(*args, **options)
        if isinstance(node, nnx.Variable):
            return nnx.Variable(node.get_raw_value())
        return node

    return {"merge": merge}


@mutant("nnx", kills=[_ID + "merge_undoes_unpack"])
def unpack_forgets_metadata(nnx):
    """`unpack` into several GraphStates keeps the metadata of the first alone."""

    def unpack(node, *filters, **options):
        found = nnx.unpack(node, *filters, **options)
        return found if len(filters) < 2 else (found[0], *map(bare, found[1:]))

    return {"unpack": unpack} if hasattr(nnx, "unpack") else {}


@mutant("nnx", kills=[_ID + "merge_takes_nested_dicts_of_values"])
def merge_leaves_values_as_they_are(nnx):
    """`merge` puts plain values where Variables were."""

    def merge(graphdef, *states, **options):
        if any(type(state) is dict for state in states):
            return nnx.merge(graphdef, *states, recreate_variables=False, **options)
        return nnx.merge(graphdef, *states, **options)

    return {"merge": merge}
