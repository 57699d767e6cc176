"""Mutants of `State` inside programs: traced, vmapped, saved."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from selftest.mutant import mutant

from ._states import cloned, is_key, values_of, with_making, with_state

_ID = "equinox.state.program."


@mutant("equinox", kills=[_ID + "what_is_not_vmapped_stays"])
def update_goes_by_position(eqx):
    """`update` matches the values of both states by position instead of by key."""

    def update(self, substate):
        part = list(values_of(substate.inner).values())
        new = self.inner.update(substate.inner)
        values = values_of(new)
        for key, value in zip(list(values), part, strict=False):
            values[key] = value
        return type(self)(new)

    return with_state(eqx, "ByPosition", update=update)


@mutant(
    "equinox",
    kills=[
        _ID + "a_state_is_traced_as_its_values",
        _ID + "a_state_is_its_values_inside_transformations",
        _ID + "a_jitted_function_gives_the_same_state",
    ],
)
def set_asks_whether_anything_changed(eqx):
    """`set` looks at the values, which a trace does not have."""

    def set(self, item, value):
        old, new = jtu.tree_leaves(self.inner.get(item)), jtu.tree_leaves(value)
        all(bool(jnp.all(one == other)) for one, other in zip(old, new, strict=False))
        return type(self)(self.inner.set(item, value))

    return with_state(eqx, "LooksAtValues", set=set)


@mutant("equinox", kills=[_ID + "a_saved_state_is_loaded"])
def set_puts_the_key_first(eqx):
    """`set` moves the key to the front, and saving goes by the order of the keys."""

    def set(self, item, value):
        new = self.inner.set(item, value)
        values = values_of(new)
        key = next(iter(values_of(new_part := cloned(new).substate(item))))
        rest = {other: values[other] for other in values if other != key}
        values.clear()
        values.update(values_of(new_part) | rest)
        return type(self)(new)

    return with_state(eqx, "KeyFirst", set=set)


@mutant(
    "equinox",
    kills=[
        _ID + "an_ensemble_is_a_loop",
        _ID + "a_state_is_loaded_into_an_abstract_one",
    ],
)
def states_start_as_numpy(eqx):
    """`make_with_state` takes the initial values to NumPy, which a trace does not allow."""

    def checked(model, state):
        jtu.tree_map(lambda leaf: leaf if is_key(leaf) else np.asarray(leaf), state)
        return model, state

    return with_making(eqx, checked)
