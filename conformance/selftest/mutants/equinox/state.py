"""Mutants of `State`: get, set, substate and update."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from selftest.mutant import mutant

from ._states import cloned, indices_in, is_key, values_of, with_making, with_state

_ID = "equinox.state."


@mutant("equinox", kills=[_ID + "each_state_starts_as_given"])
def counters_start_as_floats(eqx):
    """`make_with_state` makes floating-point arrays of integers."""

    def floating(leaf):
        return leaf.astype(jnp.float32) if jnp.issubdtype(leaf.dtype, jnp.integer) else leaf

    return with_making(eqx, lambda model, state: (model, jtu.tree_map(floating, state)))


@mutant(
    "equinox",
    kills=[
        _ID + "get_gives_what_was_set",
        _ID + "model.one_index_is_one_state",
        _ID + "program.a_state_is_a_list_under_programs",
    ],
)
def zeros_are_not_set(eqx):
    """`set` takes a value of zeros for none, and keeps the old one."""

    def set(self, item, value):
        leaves = [leaf for leaf in map(jnp.asarray, jtu.tree_leaves(value)) if not is_key(leaf)]
        nothing = bool(leaves) and not any(map(np.any, leaves))
        return type(self)(self.inner.set(item, self.inner.get(item) if nothing else value))

    return with_state(eqx, "ZerosNotSet", set=set)


@mutant("equinox", kills=[_ID + "setting_what_was_got_changes_nothing"])
def set_replaces_nan(eqx):
    """`set` stores zeros for what is not a number."""

    def finite(leaf):
        missing = eqx.is_inexact_array(leaf) and bool(np.isnan(leaf).any())
        return jnp.nan_to_num(leaf) if missing else leaf

    def set(self, item, value):
        return type(self)(self.inner.set(item, jtu.tree_map(finite, value)))

    return with_state(eqx, "WithoutNan", set=set)


@mutant("equinox", kills=[_ID + "the_last_value_counts"])
def the_first_value_counts(eqx):
    """Of two values set one after the other the first one stays."""

    def set(self, item, value):
        done = getattr(self, "done", frozenset())
        value = self.inner.get(item) if item in done else value
        state = type(self)(self.inner.set(item, value))
        state.done = done | {item}
        return state

    return with_state(eqx, "FirstValueCounts", set=set)


@mutant(
    "equinox",
    kills=[_ID + "set_changes_no_other_state", _ID + "update_takes_the_values_of_the_substate"],
)
def set_writes_every_state_alike(eqx):
    """`set` writes to each state of the value's structure."""

    def set(self, item, value):
        state = type(self)(self.inner.set(item, value))
        values = values_of(state.inner)
        new = state.inner.get(item)
        for key, old in values.items():
            if jtu.tree_structure(old) == jtu.tree_structure(new):
                values[key] = new
        return state

    return with_state(eqx, "WritesAlike", set=set)


class _Origin:
    """Aux data that remembers what was flattened, and equals any other."""

    def __init__(self, state):
        self.state = state

    def __eq__(self, other):
        return isinstance(other, _Origin)

    def __hash__(self):
        return 0

    def __deepcopy__(self, memo):
        return _Origin(None)

    def __reduce__(self):
        return _Origin, (None,)


@mutant(
    "equinox",
    kills=[_ID + "a_clone_lives_on", _ID + "program.a_jitted_function_uses_up_no_state"],
)
def a_clone_uses_up_its_origin(eqx):
    """A state and its clone are one: a successor of either makes both old."""

    def flatten(self):
        return (self.inner,), _Origin(self)

    def unflatten(cls, aux, children):
        state = object.__new__(cls)
        (state.inner,) = children
        state.origin = aux.state
        if aux.state is not None:
            aux.state.origin = state
        return state

    def set(self, item, value):
        new = type(self)(self.inner.set(item, value))
        origin = getattr(self, "origin", None)
        if origin is not None:
            origin.inner = self.inner
        return new

    return with_state(
        eqx, "OneWithItsClone", flatten=flatten, unflatten=classmethod(unflatten), set=set
    )


@mutant("equinox", kills=[_ID + "a_substate_holds_what_the_state_held"])
def a_substate_has_the_first_index(eqx):
    """`substate` stops at the first index of the part."""

    def substate(self, pytree):
        return type(self)(self.inner.substate(indices_in(eqx, pytree)[:1]))

    return with_state(eqx, "FirstIndexOnly", substate=substate)


@mutant("equinox", kills=[_ID + "a_substate_tracks_its_part_only"])
def a_substate_is_the_whole(eqx):
    """`substate` gives the whole state."""

    def substate(self, pytree):
        self.inner.substate(pytree)
        return cloned(self)

    return with_state(eqx, "WholeSubstate", substate=substate)


@mutant("equinox", kills=[_ID + "updating_with_an_unchanged_substate_changes_nothing"])
def update_puts_the_part_first(eqx):
    """`update` moves the keys of the substate to the front, which is another structure."""

    def update(self, substate):
        new = self.inner.update(substate.inner)
        values = values_of(new)
        first = {key: values.pop(key) for key in list(values_of(substate.inner))}
        rest = dict(values)
        values.clear()
        values.update(first | rest)
        return type(self)(new)

    return with_state(eqx, "PartFirst", update=update)


@mutant(
    "equinox",
    kills=[
        _ID + "update_takes_the_values_of_the_substate",
        _ID + "program.a_vmapped_layer_is_a_loop",
    ],
)
def update_keeps_its_own_values(eqx):
    """`update` takes from the substate only what the state does not have."""

    def update(self, substate):
        before = cloned(self.inner)
        self.inner.update(substate.inner)
        return type(self)(before)

    return with_state(eqx, "KeepsItsOwn", update=update)


@mutant("equinox", kills=[_ID + "a_substate_is_apart"])
def a_substate_writes_through(eqx):
    """What is set in a substate is set in the whole as well."""

    def substate(self, pytree):
        part = type(self)(self.inner.substate(pytree))
        part.whole = self
        return part

    def set(self, item, value):
        part = type(self)(self.inner.set(item, value))
        whole = getattr(self, "whole", None)
        if whole is not None:
            whole.inner = whole.inner.set(item, value)
            part.whole = whole
        return part

    return with_state(eqx, "WritesThrough", substate=substate, set=set)


@mutant(
    "equinox",
    kills=[
        _ID + "the_leaves_of_a_state_are_its_arrays",
        _ID + "model.a_model_without_indices_has_no_state",
    ],
)
def a_state_counts_in_a_leaf(eqx):
    """A state keeps the number of its flattenings in a leaf of its own."""

    def flatten(self):
        return (self.inner, getattr(self, "count", 0)), None

    def unflatten(cls, aux, children):
        state = object.__new__(cls)
        state.inner, state.count = children
        return state

    return with_state(eqx, "Counting", flatten=flatten, unflatten=classmethod(unflatten))
