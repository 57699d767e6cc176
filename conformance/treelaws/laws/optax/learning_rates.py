"""Optax: the learning rate of optimisers, as a number and as a schedule."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.optax.learning_rates import factors
from treelaws.core.law import Topic
from treelaws.equality import same

from ._inputs import DOCS, close

law = Topic("optax.learning_rates", "Optax: learning rates", family="optax")
_PAGE = f"{DOCS}transformations.html#optax.scale_by_learning_rate"
_RATES = (0.5, 0.25, 1.0)


@law(
    "the learning rate is a factor of the updates: half of it gives half of each update",
    source=_PAGE,
    case=factors(),
)
def the_learning_rate_is_a_factor(lib, case):
    """All rates are powers of two, so that no result is rounded."""
    whole, half = (_updates(case, rate, 2) for rate in (0.5, 0.25))
    same([jtu.tree_map(lambda leaf: leaf / 2, one) for one in whole], half)


@law(
    "with a schedule as the learning rate, each update is that with the value of the schedule at "
    "its step as the learning rate",
    source=_PAGE,
    case=factors(),
)
def a_schedule_gives_the_rate_of_each_step(lib, case):
    rates = jnp.float32(_RATES)
    got = _updates(case, lambda step: rates[step], len(_RATES))
    wanted = [_updates(case, rate, step + 1)[step] for step, rate in enumerate(_RATES)]
    close(got, wanted)


def _updates(case, rate, steps):
    """Return the updates of each step for the same gradients and parameters."""
    tx = case.optimiser(rate)
    state, found = tx.init(case.params), []
    for _ in range(steps):
        updates, state = tx.update(case.grads, state, case.params)
        found.append(updates)
    return found
