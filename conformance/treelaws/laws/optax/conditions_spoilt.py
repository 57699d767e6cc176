"""Optax: infinite gradients in some steps of wrappers, and wrapped states of every dtype."""

from __future__ import annotations

import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.optax.rules.any_states import any_states
from hypothesis_pytrees.optax.rules.dtypes import updates_of_dtypes, wrapped_dtypes
from hypothesis_pytrees.optax.rules.periods import spoilt_lookahead, spoilt_periods
from treelaws.equality import equal, same

from ._formulas import arrays_of, near
from ._inputs import DOCS, are_zeros, dtypes
from .conditions import law

_WRAPPERS = f"{DOCS}optimizer_wrappers.html"
_STEPS = 4


@law(
    "what collects gradients, such as `MultiSteps` and `apply_every`, gives zeros before the last "
    "step of a period and starts each period anew, even if a gradient was not finite",
    source=f"{_WRAPPERS}#optax.MultiSteps",
    level="should",
    needs={"MultiSteps", "apply_every", "chain", "scale"},
    case=spoilt_periods(),
)
def bad_numbers_stay_in_their_period(lib, case):
    state, held = case.tx.init(case.params), []
    for grads in case.grads:
        updates, state = case.tx.update(grads, state, case.params)
        held = [*held, arrays_of(grads)] if len(held) < case.length else [arrays_of(grads)]
        near(updates, _collected(case, held, updates), grads)


@law(
    "`lookahead` moves the slow parameters at each synchronization alone, even if a gradient was "
    "not finite before",
    source=f"{_WRAPPERS}#optax.lookahead",
    level="should",
    needs={"lookahead", "LookaheadParams", "scale"},
    case=spoilt_lookahead(),
)
def slow_parameters_rest_between_synchronizations(lib, case):
    tx = lib.lookahead(case.fast, case.length, 0.5)
    params = lib.LookaheadParams.init_synced(case.params)
    state = tx.init(params)
    for step, grads in enumerate(case.grads, 1):
        updates, state = tx.update(grads, state, params)
        if step % case.length:
            are_zeros(updates.slow, case.params)


@law(
    "wrappers that reset, hold back or choose an inner state do so with a state of any dtypes, "
    "with keys, bools, integers and numbers that are not finite",
    source=f"{_WRAPPERS}#optax.lookahead",
    level="should",
    needs={"GradientTransformationExtraArgs", "MultiSteps", "lookahead", "apply_if_finite"},
    case=any_states(),
)
def an_inner_state_may_have_any_dtypes(lib, case):
    state = case.tx.init(case.params)
    for step in range(1, _STEPS + 1):
        _, state = case.tx.update(case.grads[0], state, case.params)
        same(case.inner_state(state), case.wanted(step))


@law(
    "a wrapper gives the updates of the inner transformation for gradients and parameters of any "
    "dtypes that the inner transformation takes, complex ones too",
    source=f"{_WRAPPERS}#optax.apply_if_finite",
    level="should",
    needs={"MultiSteps", "apply_if_finite", "conditionally_mask", "conditionally_transform"},
    case=wrapped_dtypes(),
)
def a_wrapper_takes_the_dtypes_that_the_inner_takes(lib, case):
    wanted, _ = case.inner.update(case.grads, case.inner.init(case.params), case.params)
    state = case.tx.init(case.params)
    for _ in range(case.length):
        updates, state = case.tx.update(case.grads, state, case.params)
    same(dtypes(updates), dtypes(wanted))
    pairs = zip(jtu.tree_leaves(updates), jtu.tree_leaves(wanted), strict=True)
    equal([_near(*pair) for pair in pairs], [True] * len(jtu.tree_leaves(wanted)))


@law(
    "`skip_not_finite` and `skip_large_updates` tell the numbers that are not finite and the "
    "squared norm of updates of any floating or complex dtypes",
    source=f"{_WRAPPERS}#optax.skip_large_updates",
    level="should",
    needs={"skip_not_finite", "skip_large_updates"},
    case=updates_of_dtypes(),
)
def updates_of_any_dtype_are_skipped(lib, case):
    leaves = [np.complex128(leaf) for leaf in jtu.tree_leaves(case.updates)]
    count = sum(int((~np.isfinite(leaf)).sum()) for leaf in leaves)
    norm = sum((abs(leaf) ** 2).sum() for leaf in leaves)
    skip, told = lib.skip_not_finite(case.updates, 0, None)
    equal((bool(skip), int(told["num_not_finite"])), (count > 0, count))
    # No sum of squares is the limit; no document compares it with NaN.
    skip, told = lib.skip_large_updates(case.updates, 0, None, 25.6)
    equal(count > 0 or bool(skip), count > 0 or bool(norm > 25.6))
    equal(count > 0 or _near(told["norm_squared"], norm), True)


def _near(got, wanted):
    """Return whether numbers of a narrow dtype are equal apart from rounding."""
    return bool(np.allclose(np.complex128(got), np.complex128(wanted), 2e-2, 1e-2))


def _collected(case, held, updates):
    """Return zeros, or twice the mean or sum; where that is not finite, the updates themselves."""
    if len(held) < case.length:
        return [np.zeros(leaf.shape) for leaf in held[0]]
    total = [2 * sum(rows) / (case.length if case.mean else 1) for rows in zip(*held, strict=True)]
    pairs = zip(arrays_of(updates), total, strict=True)
    return [np.where(np.isfinite(wanted), wanted, got) for got, wanted in pairs]
