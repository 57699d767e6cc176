"""Mutants of `make_with_state`, `delete_init_state`, `StateIndex` and of how states print."""

from __future__ import annotations

import types

import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant

from ._states import with_making, with_state

_ID = "equinox.state.model."
_REFUSAL = "equinox.state.refusal."


@mutant("equinox", kills=[_ID + "model_leaves_are_the_users", _ID + "an_index_is_an_argument"])
def the_initial_state_stays(eqx):
    """`make_with_state` leaves the initial values in the model."""

    def make_with_state(make):
        def made(*args, **kwargs):
            kept = []
            model, state = eqx.nn.make_with_state(
                lambda: kept.append(make(*args, **kwargs)) or kept[0]
            )()
            values = iter(_inits(eqx, kept[0]))
            put = lambda node: _with_init(eqx, node, next(values)) if _is(eqx, node) else node
            return jtu.tree_map(put, model, is_leaf=lambda node: _is(eqx, node)), state

        return made

    return {"nn.make_with_state": make_with_state}


def _is(eqx, node):
    return isinstance(node, eqx.nn.StateIndex)


def _inits(eqx, tree):
    nodes = jtu.tree_leaves(tree, is_leaf=lambda node: _is(eqx, node))
    return [node.init for node in nodes if _is(eqx, node)]


def _with_init(eqx, index, init):
    full = eqx.nn.StateIndex(init)
    object.__setattr__(full, "marker", index.marker)
    return full


@mutant("equinox", kills=[_ID + "a_model_keeps_its_structure"])
def lists_of_layers_become_tuples(eqx):
    """`make_with_state` gives lists of the model back as tuples."""

    def change(node):
        if type(node) is list:
            return tuple(map(changed, node))
        return node

    def changed(tree):
        return jtu.tree_map(change, tree, is_leaf=lambda node: type(node) is list)

    return with_making(eqx, lambda model, state: (changed(model), state))


@mutant("equinox", kills=[_ID + "making_is_parting"])
def state_goes_backwards(eqx):
    """`State` walks through the indices of a model from the last one to the first."""

    def State(model):
        nodes = jtu.tree_leaves(model, is_leaf=lambda node: _is(eqx, node))
        return eqx.nn.State(nodes[::-1])

    return {"nn.State": State}


@mutant("equinox", kills=[_ID + "a_state_can_be_made_of_a_model"])
def state_starts_at_zero(eqx):
    """`State(model)` starts at zeros of the shapes that the model gives."""

    def State(model):
        return jtu.tree_map(jnp.zeros_like, eqx.nn.State(model))

    return {"nn.State": State}


@mutant("equinox", kills=[_ID + "a_state_of_a_model_without_initial_states_is_refused"])
def state_of_nothing_is_empty(eqx):
    """`State` of a model without initial states is an empty state."""

    def State(model):
        try:
            return eqx.nn.State(model)
        except ValueError:
            return eqx.nn.State(None)

    return {"nn.State": State}


@mutant("equinox", kills=[_ID + "deleting_twice_is_deleting_once", _ID + "making_is_parting"])
def every_array_is_an_initial_state(eqx):
    """`delete_init_state` deletes the arrays of a model that are no state, too."""

    def delete_init_state(model):
        drop = lambda leaf: None if eqx.is_array(leaf) else leaf
        return jtu.tree_map(drop, eqx.nn.delete_init_state(model))

    return {"nn.delete_init_state": delete_init_state}


@mutant("equinox", kills=[_ID + "each_index_is_a_key_of_its_own"])
def keys_go_by_the_class(eqx):
    """Every index of a model has the name of the model's class for a key."""

    def change(model, state):
        def rename(node):
            if _is(eqx, node):
                node = jtu.tree_map(lambda leaf: leaf, node)
                object.__setattr__(node, "marker", type(model).__name__)
            return node

        return jtu.tree_map(rename, model, is_leaf=lambda node: _is(eqx, node)), state

    return with_making(eqx, change)


@mutant(
    "equinox",
    kills=[
        _ID + "equal_builds_have_equal_structures",
        _ID + "builds_of_one_model_are_compatible",
        _ID + "an_equal_build_does_not_retrace",
    ],
)
def each_build_has_new_keys(eqx):
    """`make_with_state` keeps the objects that were the keys of the indices so far."""

    def make_with_state(make):
        def made(*args, **kwargs):
            model = make(*args, **kwargs)
            return eqx.nn.delete_init_state(model), eqx.nn.State(model)

        return made

    return {"nn.make_with_state": make_with_state}


@mutant("equinox", kills=[_ID + "every_state_prints"])
def only_arrays_print(eqx):
    """A state prints the shapes of its leaves, and takes them for arrays."""

    def __repr__(self):
        return f"State({[leaf.shape for leaf in jtu.tree_leaves(self.inner)]})"

    return with_state(eqx, "PrintsShapes", __repr__=__repr__)


@mutant("equinox", kills=[_ID + "an_old_state_prints"])
def an_old_state_does_not_print(eqx):
    """`repr` flattens the state, which an old one refuses."""

    def __repr__(self):
        return f"State({jtu.tree_leaves(self.inner)})"

    return with_state(eqx, "OldDoesNotPrint", __repr__=__repr__)


@mutant("equinox", kills=[_ID + "arguments_are_passed_on"])
def some_names_are_its_own(eqx):
    """`make_with_state` takes the arguments `self` and `make_model` for its own."""

    def make_with_state(make):
        def made(*args, make_model=None, **kwargs):
            return eqx.nn.make_with_state(make)(*args, **kwargs)

        return made

    return {"nn.make_with_state": make_with_state}


@mutant(
    "equinox",
    kills=[
        _REFUSAL + "an_index_finds_nothing_in_the_state_of_another_model",
        _REFUSAL + "update_refuses_the_state_of_another_model",
        _REFUSAL + "namesakes_share_no_key",
    ],
)
def indices_are_numbered(eqx):
    """The indices of each model are numbered from 0."""

    def make_with_state(make):
        def made(*args, **kwargs):
            count = iter(range(1000))

            def number(node):
                if _is(eqx, node):
                    node = eqx.nn.StateIndex(node.init)
                    object.__setattr__(node, "marker", next(count))
                return node

            model = make(*args, **kwargs)
            model = jtu.tree_map(number, model, is_leaf=lambda node: _is(eqx, node))
            return eqx.nn.delete_init_state(model), eqx.nn.State(model)

        return made

    return {"nn.make_with_state": make_with_state}


@mutant("equinox", kills=[_REFUSAL + "a_function_is_no_start_of_a_state"])
def an_index_calls_functions(eqx):
    """`StateIndex` calls a function to get at the initial value, as it did once."""
    real = eqx.nn.StateIndex

    class Anything(type):
        def __instancecheck__(cls, node):
            return isinstance(node, real)

    class StateIndex(metaclass=Anything):
        def __new__(cls, init):
            lazy = isinstance(init, types.FunctionType)
            return real(init() if lazy else init)

        def __class_getitem__(cls, item):
            return cls

    return {"nn.StateIndex": StateIndex}
