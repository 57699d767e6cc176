"""Mutants of what a `State` refuses."""

from __future__ import annotations

import contextlib

import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant

from ._states import cloned, values_of, with_state

_ID = "equinox.state.refusal."


@mutant("equinox", kills=[_ID + "an_old_state_is_invalid", _ID + "an_old_state_is_refused"])
def a_state_lives_on(eqx):
    """`set` gives a successor and leaves the state as it was."""

    def set(self, item, value):
        return type(self)(cloned(self.inner).set(item, value))

    return with_state(eqx, "LivesOn", set=set)


@mutant("equinox", kills=[_ID + "a_value_that_does_not_fit_is_refused"])
def set_takes_anything(eqx):
    """`set` takes a value of any structure, shape and dtype."""

    def set(self, item, value):
        new = self.inner.set(item, self.inner.get(item))
        key = next(iter(values_of(cloned(new).substate(item))))
        values_of(new)[key] = jtu.tree_map(jnp.asarray, value)
        return type(self)(new)

    return with_state(eqx, "TakesAnything", set=set)


@mutant("equinox", kills=[_ID + "a_value_that_does_not_fit_is_refused"])
def shapes_are_broadcast(eqx):
    """`set` compares shapes as arithmetic does, so that one value stands for many."""

    def set(self, item, value):
        old = self.inner.get(item)
        with contextlib.suppress(TypeError, ValueError):
            value = jtu.tree_map(lambda x, y: jnp.broadcast_to(x, y.shape), value, old)
        return type(self)(self.inner.set(item, value))

    return with_state(eqx, "Broadcasts", set=set)


@mutant("equinox", kills=[_ID + "a_refused_set_costs_nothing"])
def a_refused_set_uses_the_state_up(eqx):
    """`set` and `update` make the state old before they look at what they got."""

    def set(self, item, value):
        old = cloned(self.inner)
        old.update(old)
        before, self.inner = self.inner, old
        return type(self)(before.set(item, value))

    return with_state(eqx, "UsedUpFirst", set=set)


@mutant("equinox", kills=[_ID + "what_is_no_index_is_refused"])
def what_is_no_index_has_no_state(eqx):
    """`get` gives `None` for what is no index."""

    def get(self, item):
        return self.inner.get(item) if isinstance(item, eqx.nn.StateIndex) else None

    return with_state(eqx, "NoneForOthers", get=get)
