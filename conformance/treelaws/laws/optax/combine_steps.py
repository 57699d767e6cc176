"""Optax: `MultiSteps`, which collects the gradients of several steps."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.optax.chains import chains
from treelaws.equality import equal

from ._inputs import DOCS, are_zeros, close
from .combine import law

_WRAPPERS = f"{DOCS}optimizer_wrappers.html"
_STEPS = 2


@law(
    "before its last step, `MultiSteps` gives zeros of the shapes of the updates",
    source=f"{_WRAPPERS}#optax.MultiSteps",
    needs={"MultiSteps", "chain"},
    weight=0.05,
    case=chains(most=1),
)
def steps_before_the_last_are_zero(lib, case):
    tx = lib.MultiSteps(lib.chain(*case.links), 2)
    updates, _ = tx.update(case.grads, tx.init(case.params), case.params)
    are_zeros(updates, case.grads)


@law(
    "every `n` steps, `MultiSteps` gives the updates of the inner transformation for the mean of "
    "the gradients",
    source=f"{_WRAPPERS}#optax.MultiSteps",
    needs={"MultiSteps", "chain"},
    weight=0.05,
    case=chains(most=1),
)
def the_last_step_updates_with_the_mean(lib, case):
    inner = lib.chain(*case.links)
    tx = lib.MultiSteps(inner, _STEPS)
    state, wanted_state = tx.init(case.params), inner.init(case.params)
    doubles = jtu.tree_map(lambda leaf: 3 * leaf, case.grads)
    for _ in range(2):
        _, state = tx.update(case.grads, state, case.params)
        updates, state = tx.update(doubles, state, case.params)
        mean = jtu.tree_map(lambda leaf: 2 * leaf, case.grads)
        wanted, wanted_state = inner.update(mean, wanted_state, case.params)
        close(updates, wanted)


@law(
    "the state of `MultiSteps` counts the small steps since the last update, and the updates",
    source=f"{_WRAPPERS}#optax.MultiStepsState",
    needs={"MultiSteps", "chain"},
    weight=0.05,
    case=chains(most=1),
)
def the_state_counts_small_steps_and_updates(lib, case):
    tx = lib.MultiSteps(lib.chain(*case.links), _STEPS)
    state = tx.init(case.params)
    for count in range(2 * _STEPS + 1):
        counted = int(state.mini_step), int(state.gradient_step)
        equal((*counted, state.mini_step.dtype), (count % _STEPS, count // _STEPS, jnp.int32))
        equal(bool(tx.has_updated(state)), count > 0 and count % _STEPS == 0)
        _, state = tx.update(case.grads, state, case.params)
