"""Mutants of Equinox and Flax NNX for the laws behind the recipes."""

from __future__ import annotations

import typing

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant

_SPLIT = "recipes.splitting."
_TRAIN = "recipes.training."


@mutant(
    "equinox",
    kills=[
        _SPLIT + "spec_by_tree_at_splits_any_tree",
        _SPLIT + "spec_splits_every_tree_of_its_structure",
    ],
)
def a_path_reaches_the_next_leaf_too(eqx):
    """`tree_at` changes the leaf behind its target as well, as long as it is like the old one."""

    def tree_at(where, pytree, *args, **keywords):
        result = eqx.tree_at(where, pytree, *args, **keywords)
        old, (new, structure) = jtu.tree_leaves(pytree), jtu.tree_flatten(result)
        changed = [
            i for i, pair in enumerate(zip(old, new, strict=False)) if pair[0] is not pair[1]
        ]
        if changed and len(old) == len(new):
            after = (changed[-1] + 1) % len(new)
            new[after] = new[changed[-1]] if len(changed) < len(new) else old[after]
        return jtu.tree_unflatten(structure, new)

    return {"tree_at": tree_at}


@mutant("equinox", kills=[_SPLIT + "identity_predicate_splits_trees_without_aliases"])
def predicates_are_asked_once_a_type(eqx):
    """`filter` asks a predicate about one leaf of each type and remembers the answer."""

    def filter(pytree, filter_spec, inverse=False, replace=None, is_leaf=None):
        answers: dict[type, bool] = {}

        def asked(leaf):
            return answers.setdefault(type(leaf), filter_spec(leaf))

        spec = asked if callable(filter_spec) else filter_spec
        return eqx.filter(pytree, spec, inverse, replace, is_leaf)

    return {"filter": filter}


@mutant(
    "equinox",
    kills=[
        _SPLIT + "identity_predicate_finds_nothing_after_an_update",
        _SPLIT + "identity_predicate_finds_no_array_in_a_trace",
    ],
)
def nothing_found_is_everything(eqx):
    """`filter` gives the whole tree where its predicate accepts no leaf."""

    def filter(pytree, filter_spec, inverse=False, replace=None, is_leaf=None):
        found = eqx.filter(pytree, filter_spec, inverse, replace, is_leaf)
        return found if jtu.tree_leaves(found) else pytree

    return {"filter": filter}


@mutant("equinox", kills=["recipes.state.marker_is_no_leaf", "recipes.state.marker_is_static"])
def the_marker_is_dynamic(eqx):
    """The marker of a StateIndex is a leaf."""

    class StateIndex(eqx.Module):
        marker: typing.Any
        init: typing.Any

        def __init__(self, init):
            self.marker, self.init = object(), init

    return {"nn.StateIndex": StateIndex}


@mutant("equinox", kills=["recipes.state.state_may_be_made_anywhere_in_construction"])
def states_start_at_zero(eqx):
    """`make_with_state` fills the initial states with zeros."""

    def make_with_state(make):
        def made(*args):
            zeros = jtu.tree_map(lambda x: jnp.zeros_like(x, shape=(*x.shape, 1))[..., 0], args)
            return eqx.nn.make_with_state(make)(*zeros)

        return made

    return {"nn.make_with_state": make_with_state}


@mutant("equinox", kills=[_TRAIN + "gradients_have_the_structure_of_the_inexact_arrays"])
def integers_have_gradients(eqx):
    """`filter_grad` gives integers back, Python's too, in the place of gradients."""

    def filter_grad(function):
        def gradient(model):
            rest = eqx.filter(model, lambda leaf: isinstance(leaf, (jax.Array, int)))
            return eqx.combine(eqx.filter_grad(function)(model), rest)

        return gradient

    return {"filter_grad": filter_grad}


@mutant("equinox", kills=[_TRAIN + "init_on_the_inexact_arrays_fits_every_update"])
def updates_drop_what_they_do_not_change(eqx):
    """`apply_updates` gives the updated arrays alone."""

    def apply_updates(model, updates):
        return eqx.filter(eqx.apply_updates(model, updates), eqx.is_inexact_array)

    return {"apply_updates": apply_updates}


@mutant("equinox", kills=[_TRAIN + "partition_freezes_against_weight_decay"])
def partition_decides_by_type(eqx):
    """`partition` puts every array into the half of the first one."""

    def partition(pytree, filter_spec, replace=None, is_leaf=None):
        spec = jtu.tree_map(lambda flag, _: flag, filter_spec, pytree)
        first = next((flag for flag in jtu.tree_leaves(spec) if flag), False)
        arrays = jtu.tree_map(lambda leaf: first and eqx.is_inexact_array(leaf), pytree)
        return eqx.partition(pytree, arrays, replace, is_leaf)

    return {"partition": partition}


@mutant("nnx", kills=["recipes.is_leaf.dispatch_inside_the_function_keeps_the_other_leaves"])
def only_parameters_are_variables(nnx):
    """What goes by the name Variable is the type of parameters alone."""
    return {"Variable": nnx.Param}
