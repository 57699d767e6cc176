"""Optax: transformations that act at some steps only, over several steps."""

from __future__ import annotations

import functools
from typing import Any

import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.optax.rules.conditions import conditions, errors, small_steps
from treelaws.core.law import Topic
from treelaws.equality import equal, same

from ._formulas import arrays_of, near
from ._inputs import CODE, DOCS, types

law = Topic("optax.conditions", "Optax: steps that are updates or not", family="optax")
_PAGE = f"{DOCS}transformations.html"
_WRAPPERS = f"{DOCS}optimizer_wrappers.html"
_NEEDS = {"conditionally_transform", "conditionally_mask", "trace"}


@law(
    "`conditionally_transform` acts at the steps for which its condition holds and returns the "
    "other gradients unchanged; only those steps change the inner state",
    source=f"{_PAGE}#optax.conditionally_transform",
    needs=_NEEDS,
    case=conditions(),
)
def some_steps_are_transformed(lib, case):
    inner = lib.trace(case.decay)
    tx = lib.conditionally_transform(inner, case.condition, forward_extra_args=case.forwards)
    _follows(case, tx, lambda grads: grads)


@law(
    "`conditionally_mask` acts at the steps for which its condition holds and gives zeros at the "
    "others; only those steps change the inner state",
    source=f"{_PAGE}#optax.conditionally_mask",
    needs=_NEEDS,
    case=conditions(),
)
def other_steps_are_zero(lib, case):
    inner = lib.trace(case.decay)
    tx = lib.conditionally_mask(inner, case.condition, forward_extra_args=case.forwards)
    _follows(case, tx, lambda grads: [0 * grad for grad in grads])


@law(
    "`apply_if_finite` ignores so many gradients in a row that are not finite, and accepts those "
    "that follow in the row; its state counts them in a row and in all, and tells of the last",
    # The documentation of `last_finite` says the opposite of its name, and tests go by the name.
    source=f"{_WRAPPERS}#optax.apply_if_finite",
    level="should",
    needs={"apply_if_finite", "trace"},
    case=errors(),
)
def errors_are_counted_and_ignored(lib, case):
    tx = lib.apply_if_finite(lib.trace(case.decay), case.most)
    state, held, row, total = tx.init(case.params), 0, 0, 0
    for finite, grads in zip(case.finite, case.grads, strict=True):
        given = grads if finite else jtu.tree_map(lambda leaf: leaf.at[...].set(case.bad), grads)
        row, total = (0 if finite else row + 1), total + (not finite)
        held, wanted = _traced(case, held, given, finite or row > case.most)
        updates, state = tx.update(given, state, case.params)
        near(updates, wanted, grads)
        counted = int(state.notfinite_count), bool(state.last_finite), int(state.total_notfinite)
        equal(counted, (row, finite, total))


@law(
    "`MultiSteps` with a schedule collects as many gradients as it says for the updates so far, "
    "then updates with their mean or their sum; `has_updated` tells of it",
    # Tests alone show what `has_updated` is.
    source=f"{_WRAPPERS}#optax.MultiSteps",
    level="should",
    needs={"MultiSteps", "trace"},
    case=small_steps(),
)
def a_schedule_says_how_many_steps_are_one(lib, case):
    tx = lib.MultiSteps(lib.trace(case.decay), case.length, use_grad_mean=case.mean)
    state = tx.init(case.params)
    for grads, (done, small, wanted) in zip(case.grads, _large_steps(case), strict=True):
        updates, state = tx.update(grads, state, case.params)
        near(updates, wanted, grads)
        equal((int(state.gradient_step), int(state.mini_step)), (done, small))
        equal(bool(tx.has_updated(state)), small == 0)


@law(
    "the state of `MultiSteps` that skips updates has at first the structure and the types that it "
    "has after an update",
    source=f"{CODE}transforms/_accumulation_test.py#L237",
    level="should",
    needs={"MultiSteps", "skip_not_finite", "skip_large_updates"},
    case=small_steps(),
)
def skipping_keeps_the_types_of_the_state(lib, case):
    large = functools.partial(lib.skip_large_updates, max_squared_norm=4.0)
    for skip in (lib.skip_not_finite, large):
        tx = lib.MultiSteps(lib.trace(case.decay), 2, should_skip_update_fn=skip)
        state = tx.init(case.params)
        _, after = tx.update(case.grads[0], state, case.params)
        same(types(after), types(state))


@law(
    "`MultiSteps.inner_opt` is the transformation that is wrapped",
    # No document or test of Optax speaks of it.
    source=f"{CODE}transforms/_accumulation.py#L320-L322",
    level="observed",
    needs={"MultiSteps.gradient_transformation", "trace"},
    case=small_steps(),
)
def the_wrapped_transformation_is_there(lib, case):
    inner = lib.MultiSteps(lib.trace(case.decay), 2).inner_opt
    updates, _ = inner.update(case.grads[0], inner.init(case.params))
    near(updates, arrays_of(case.grads[0]), case.grads[0])


def _follows(case, tx, rest):
    """Demand the updates of a trace at some steps, and what `rest` gives at the others."""
    state, held = tx.init(case.params), 0
    for step, (allowed, grads) in enumerate(zip(case.allowed, case.grads, strict=True)):
        acts = bool(case.rule(step) and allowed)
        extra = {"allowed": jnp.asarray(allowed)}
        held, found = _traced(case, held, grads, acts)
        updates, state = tx.update(grads, state, case.params, **extra)
        near(updates, found if acts else rest(arrays_of(grads)), grads)
        equal(int(state.step), step + 1)


def _traced(case, held, grads, acts):
    """Return the trace after a step, and the updates: those of the trace, or zeros."""
    arrays = arrays_of(grads)
    if not acts:
        return held, [np.zeros(array.shape) for array in arrays]
    held = [np.zeros(array.shape) for array in arrays] if isinstance(held, int) else held
    new = [case.decay * old + array for old, array in zip(held, arrays, strict=True)]
    return new, new


def _large_steps(case):
    """Yield after each small step the updates so far, the gradients held, and the updates."""
    done, gathered, held = 0, [], None
    for grads in case.grads:
        gathered.append(arrays_of(grads))
        last = len(gathered) == _length(case, done)
        updates = [np.zeros(array.shape) for array in gathered[0]]
        if last:
            sums = [sum(rows) for rows in zip(*gathered, strict=True)]
            total = [one / len(gathered) for one in sums] if case.mean else sums
            pairs = zip(held or updates, total, strict=True)
            held = updates = [case.decay * old + one for old, one in pairs]
            done, gathered = done + 1, []
        yield done, len(gathered), updates


def _length(case: Any, done: int) -> int:
    return case.length if isinstance(case.length, int) else int(case.length(done))
