"""Optax: options at the bounds of their range, and options that are a factor or a pace."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.optax.rules.boundaries import bounds_of_options, documented_factors
from hypothesis_pytrees.optax.rules.searched import plateaus, rounds
from treelaws.equality import true

from ._inputs import DOCS, close
from .documented import law

_PAGE = f"{DOCS}transformations.html"
_CONTRIB = f"{DOCS}contrib.html"
# So many steps bring every learning rate that is drawn below every limit.
_TRIES = 8


@law(
    "a transformation with an option at a bound gives, step after step, the updates of what it "
    "then is: a period of 1 is the inner transformation, a decay or noise of 0 is none",
    source=f"{_CONTRIB}#optax.contrib.sam",
    level="should",
    needs={"contrib.sam", "apply_every", "scale_by_lion"},
    case=bounds_of_options(),
)
def an_option_at_its_bound_has_no_effect_beyond_it(lib, case):
    params = {"got": case.params, "wanted": case.params}
    made = {"got": case.tx, "wanted": case.plain}
    states = {name: tx.init(case.params) for name, tx in made.items()}
    for grads in case.grads:
        for name, tx in made.items():
            given = (grads, states[name], params[name])
            updates, states[name] = _updated(lib, tx, given, case.extra(grads))
            params[name] = lib.apply_updates(params[name], updates)
        close(params["got"], params["wanted"])


@law(
    "an option that is documented as a factor scales the updates: half of it gives half of each "
    "update for the same parameters",
    source=f"{_PAGE}#optax.polyak_sgd",
    level="should",
    needs={"scale", "scale_by_trust_ratio"},
    case=documented_factors(),
)
def a_documented_factor_scales_the_updates(lib, case):
    made = [case.make(factor) for factor in (0.5, 1.0)]
    states = [tx.init(case.params) for tx in made]
    for grads in case.grads:
        half, whole = (
            _updated(lib, tx, (grads, state, case.params), case.extra)
            for tx, state in zip(made, states, strict=True)
        )
        close(half[0], jtu.tree_map(lambda leaf: leaf / 2, whole[0]))
        states = [half[1], whole[1]]


@law(
    "a backtracking line search begins with the last learning rate times `increase_factor`, at "
    "most `max_learning_rate`, and with that for infinity; it decreases it by `decrease_factor`",
    source=f"{_PAGE}#optax.scale_by_backtracking_linesearch",
    needs={"scale_by_backtracking_linesearch"},
    case=rounds(),
)
def a_search_begins_with_the_documented_guess(lib, case):
    options = {"decrease_factor": case.decrease, "increase_factor": case.increase}
    tx = lib.scale_by_backtracking_linesearch(_TRIES, max_learning_rate=case.most, **options)
    params, grads = jnp.zeros(2), jnp.ones(2)
    state = tx.init(params)
    for limit in case.limits:
        wanted = _searched(case, float(state.learning_rate), limit)
        extra = {"value": jnp.float32(0), "grad": grads, "value_fn": _bounded(limit)}
        _, state = _updated(lib, tx, (-grads, state, params), extra)
        found = float(state.learning_rate)
        true(limit < 0 or bool(np.isclose(found, wanted)), found, f"{wanted}")


@law(
    "`reduce_on_plateau` multiplies its scale by `factor` after `patience` values that improve on "
    "the best one by no more than the tolerance, and while the values improve it does not",
    source=f"{_CONTRIB}#optax.contrib.reduce_on_plateau",
    level="should",
    needs={"contrib.reduce_on_plateau", "contrib.reduce_on_plateau(min_scale)"},
    case=plateaus(),
)
def the_scale_follows_the_plateaus(lib, case):
    tx, params = lib.contrib.reduce_on_plateau(**case.options), jnp.ones(2)
    state = tx.init(params)
    for value, scale in zip(case.values, _scales(case), strict=True):
        extra = {"value": jnp.float32(value)}
        updates, state = _updated(lib, tx, (params, state, params), extra)
        close(updates, params * scale)


def _updated(lib, tx, given, extra):
    """Update step by step outside of a trace, in which each new loss would be compiled."""
    with jax.disable_jit():
        return lib.with_extra_args_support(tx).update(*given, **extra)


def _bounded(limit):
    """Return a loss that steps along -1 from 0 lower up to a limit, and that is infinite beyond."""
    return lambda params: jnp.where(jnp.max(-params) > limit, jnp.inf, jnp.sum(params))


def _searched(case, rate, limit):
    """Return the learning rate that is found after `rate`; with no limit above 0, none is."""
    rate = min(rate * case.increase, case.most) if np.isfinite(case.increase) else case.most
    while rate > limit >= 0:
        rate *= case.decrease
    return rate


def _scales(case):
    """Yield the scale of each step."""
    size, factor = case.options["accumulation_size"], case.options["factor"]
    relative, absolute = case.options["rtol"], case.options.get("atol", 0.0)
    scale, best, worse, waits = 1.0, np.inf, 0, 0
    for step, value in enumerate(case.values, 1):
        if step % size == 0:
            margin = absolute + (relative * abs(best) if np.isfinite(best) else 0.0)
            improved = value < best - margin
            best, worse = (value, 0) if improved else (best, worse + 1)
            if waits:
                worse, waits = 0, waits - 1
            elif not improved and worse >= case.patience:
                scale, worse = max(scale * factor, case.options["min_scale"]), 0
                waits = case.options["cooldown"]
        yield scale
