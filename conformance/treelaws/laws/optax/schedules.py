"""Optax: schedules, and numbers that may be a schedule, an array or traced."""

from __future__ import annotations

import numpy as np

from hypothesis_pytrees.optax.rules.ends import ends_of_schedules
from hypothesis_pytrees.optax.rules.scheduled import numbers_of_schedules, scheduled_numbers
from treelaws.core.law import Topic
from treelaws.equality import same, true

from ._inputs import CODE, DOCS, close, shapes

law = Topic("optax.schedules", "Optax: schedules and scheduled numbers", family="optax")
_PAGE = f"{DOCS}optimizer_schedules.html"


@law(
    "a parameter that is annotated as a scalar or a schedule takes a number as an array, traced by "
    "`jit` and as a schedule that is constant, and the updates are those for the number",
    # `ScalarOrSchedule` is a float, an array or a schedule, and a tracer is an array.
    source=f"{CODE}_src/base.py#L41",
    level="should",
    needs={"ScalarOrSchedule", "constant_schedule"},
    case=scheduled_numbers(),
)
def numbers_may_be_scheduled(lib, case):
    wanted, got = _steps(case, case.value), case.form(lambda one: _steps(case, one), case.value)
    same(shapes(got), shapes(wanted))
    if not case.traced:
        close(got, wanted)


@law(
    "a schedule takes each number that is annotated as an array as an array, and traced by `jit`",
    source=f"{_PAGE}#optax.schedules.warmup_cosine_decay_schedule",
    level="should",
    needs={"warmup_cosine_decay_schedule", "sgdr_schedule", "schedules_of_arrays"},
    case=numbers_of_schedules(),
)
def schedules_take_arrays(lib, case):
    wanted = np.float32(case.make(case.value)(case.count))
    got = case.form(lambda number: case.make(number)(case.count), case.value)
    true(got.shape == (), got, "an array without axes")
    if not case.traced:
        true(bool(np.isclose(got, wanted, rtol=1e-4)), got, f"{wanted}")


@law(
    "a schedule has at its beginning, its peak, its boundaries and its end the value that is "
    "documented for them, whatever the numbers that it is given, and keeps the last one",
    source=f"{_PAGE}#optax.schedules.warmup_cosine_decay_schedule",
    level="should",
    needs={"warmup_cosine_decay_schedule", "sgdr_schedule"},
    case=ends_of_schedules(),
)
def schedules_pass_through_the_values_they_are_given(lib, case):
    for count, wanted in case.points:
        got = case.schedule(count)
        right = bool(np.isclose(got, wanted, rtol=1e-4, atol=1e-6))
        true(right, got, f"{wanted} at step {count}")


def _steps(case, number):
    """Return the updates of two steps with the transformation of a number."""
    tx = case.make(number)
    state, found = tx.init(case.params), []
    for _ in range(2):
        updates, state = tx.update(case.grads, state, case.params, **case.extra)
        found.append(updates)
    return found
