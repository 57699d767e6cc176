"""Optax: schedules of many steps, at every count from 0 on that an int32 holds."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.ways import way
from treelaws.equality import true

from ._inputs import DOCS
from .schedules import law

_LAST = 2**31 - 1
# From 2**24 + 1 on, float32 does not hold each count.
_LENGTHS = (1, 3, 1000, 2**24 + 1, 10**8, 2**30, _LAST)
_VALUES = (0.5, 2.0, -1.0, 0.001)
_BEGINS = (0, 5, 2**24 + 1)
_FORMS = (
    way("int", "schedule(count)"),
    way("numpy", "schedule(np.int32(count))"),
    way("array", "schedule(jnp.int32(count))"),
    way("jit", "jax.jit(schedule)(count)"),
)


def _cosine(count, init, steps, alpha, exponent):
    cosine = 0.5 * (1 + np.cos(np.pi * min(count, steps) / steps))
    return init * ((1 - alpha) * cosine**exponent + alpha)


def _polynomial(count, init, end, power, steps, begin):
    passed = np.clip((count - begin) / steps, 0, 1)
    return (init - end) * (1 - passed) ** power + end


def _linear(count, init, end, steps, begin):
    return _polynomial(count, init, end, 1, steps, begin)


def _exponential(count, init, steps, rate, begin):
    return init * rate ** (max(count - begin, 0) / steps)


def _warmed(count, init, peak, warm, steps, end, exponent):
    if count < warm:
        return _linear(count, init, peak, warm, 0)
    return _cosine(count - warm, peak, steps - warm, end / peak, exponent)


_FORMULAS = {
    "cosine_decay_schedule": _cosine,
    "exponential_decay": _exponential,
    "linear_schedule": _linear,
    "polynomial_schedule": _polynomial,
    "warmup_cosine_decay_schedule": _warmed,
}


@st.composite
def _long_schedules(draw: st.DrawFn) -> Recipe:
    """Bind `name` and `numbers`, of a schedule, `count`, and `run`, which calls it with that."""
    scope = Scope()
    name = draw(st.sampled_from(tuple(_FORMULAS)))
    init, other = draw(st.sampled_from(_VALUES)), draw(st.sampled_from(_VALUES))
    begin, exponent = draw(st.sampled_from(_BEGINS)), draw(st.sampled_from((1.0, 2.0)))
    # `cosine_decay_schedule` alone takes more steps than an int32 holds.
    cosine = name == "cosine_decay_schedule"
    steps = draw(st.sampled_from((*_LENGTHS, _LAST + 1, 10**10) if cosine else _LENGTHS))
    warm = max(begin, 1)
    numbers = {
        "cosine_decay_schedule": (init, steps, draw(st.sampled_from((0.0, 0.25))), exponent),
        "exponential_decay": (init, steps, draw(st.sampled_from((0.5, 0.25))), begin),
        "linear_schedule": (init, other, steps, begin),
        "polynomial_schedule": (init, other, exponent, steps, begin),
        "warmup_cosine_decay_schedule": (init, other, warm, warm + steps, 0.25, exponent),
    }[name]
    near = [bound + step for bound in (0, begin, begin + steps) for step in (-1, 0, 1)]
    parts = [begin + steps // 3, begin + steps // 2, begin + 2 * steps, 10**9, _LAST - 1, _LAST]
    counts = sorted({count for count in (*near, *parts) if 0 <= count <= _LAST})
    scope.note(f"schedule:{name}", f"steps:{'beyond' if steps > _LAST else 'within'}-int32")
    scope.bind("name", repr(name))
    scope.bind("numbers", repr(numbers))
    scope.bind("count", repr(draw(st.sampled_from(counts))))
    form = draw(st.sampled_from(_FORMS))
    scope.note(*form.features)
    scope.bind("run", f"lambda schedule, count: {form.template}")
    return scope.recipe()


@law(
    "`linear_schedule`, `polynomial_schedule`, `exponential_decay`, `cosine_decay_schedule` and "
    "`warmup_cosine_decay_schedule` have the value of their formula at each count from 0 to "
    "2**31 - 1, also after the last step, and `cosine_decay_schedule` also with more steps than "
    "int32 counts",
    source=f"{DOCS}optimizer_schedules.html#optax.schedules.cosine_decay_schedule",
    level="should",
    needs={"cosine_decay_schedule", "warmup_cosine_decay_schedule"},
    case=_long_schedules(),
)
def long_schedules_follow_their_formula(lib, case):
    wanted = _FORMULAS[case.name](case.count, *case.numbers)
    got = case.run(getattr(lib, case.name)(*case.numbers), case.count)
    true(bool(np.isclose(got, wanted, rtol=1e-4, atol=1e-6)), got, f"{wanted}")
