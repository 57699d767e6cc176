"""Numbers that may be schedules, arrays or traced, and schedules that are made of numbers."""

from __future__ import annotations

import functools
import importlib
import inspect
import operator
import typing
from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core import names
from hypothesis_pytrees.core.availability import probe_first
from hypothesis_pytrees.core.recipe import Recipe, Scope

from ..transformations import EXTRA, found, with_argument

# Ways to give a number to `run`, by what they are called in features. Only shapes and dtypes are
# worked out for one that is traced.
_FORMS: Mapping[str, str] = {
    "array": "lambda run, value: run(jnp.float32(value))",
    "traced": "lambda run, value: jax.eval_shape(run, jnp.float32(value))",
    "schedule": "lambda run, value: run(optax.constant_schedule(value))",
    "function": "lambda run, value: run(lambda count: value)",
    "function-of-array": "lambda run, value: run(lambda count: jnp.where(count < 9, value, 0.0))",
    "partial": "lambda run, value: run(functools.partial(lambda value, count: value, value))",
}
_NUMBERS = ("array", "traced")
_TREES = (
    "{'w': jnp.ones((2, 2)), 'b': jnp.float32([0.5, -2.0])}",
    "[jnp.float32([[0.5, 1.0], [-2.0, 0.25]]), (jnp.float32([0.5, -2.0]),)]",
)


@functools.cache
def scheduled() -> tuple[tuple[str, str, str], ...]:
    """Return the transformations, and their parameters, that are annotated to take a schedule.

    Each with the text of its call. The learning rate is among the parameters.
    """
    optax = importlib.import_module("optax")
    wanted = typing.get_args(optax.ScalarOrSchedule)
    rows = []
    for made in found():
        try:
            function = operator.attrgetter(made.name)(optax)
        except AttributeError:
            # A release that lacks it fails its other laws.
            continue
        if made.text.startswith(f"optax.{made.name}("):
            for one in _parameters(function):
                given = typing.get_args(one.annotation)
                if all(kind in given for kind in wanted):
                    # An argument without a name is the learning rate, which has a default.
                    text = made.text if "=" in made.text else f"optax.{made.name}()"
                    rows.append((made.name, one.name, text))
    return tuple(rows)


def _parameters(function: object) -> Sequence[inspect.Parameter]:
    return tuple(inspect.signature(function).parameters.values()) if callable(function) else ()


def scheduled_numbers() -> st.SearchStrategy[Recipe]:
    """Draw `make`, a transformation of a number that may be scheduled, a `value` and a `form`.

    The form gives a function the value as an array, traced or as a schedule. Also draw `params`,
    `grads` and `extra`, the keyword arguments that `update` asks for.
    """
    return probe_first(scheduled, _scheduled_numbers())


@st.composite
def _scheduled_numbers(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    name, parameter, text = draw(st.sampled_from(scheduled()))
    scope.note(f"case:{name}", f"scheduled:{parameter}")
    scope.bind("params", draw(st.sampled_from(_TREES)))
    scope.bind("grads", "jtu.tree_map(lambda leaf: leaf * 0.5, params)")
    scope.bind("extra", EXTRA.get(name, "{}"))
    scope.bind("make", f"lambda number: {with_argument(text, parameter, 'number')}")
    scope.bind("value", draw(st.sampled_from(("0.25", "0.5"))))
    _bind_form(draw, scope, tuple(_FORMS))
    return scope.recipe()


def _bind_form(draw: st.DrawFn, scope: Scope, forms: Sequence[str]) -> None:
    form = draw(st.sampled_from(forms))
    scope.note(f"form:{form}" if form in _NUMBERS else "form:schedule")
    scope.bind("form", _FORMS[form])
    scope.bind("traced", repr(form == "traced"))


# By schedule: a call, and the arguments of it that are annotated as an array or a number. Those
# that stay as they are are numbers of steps, or annotated as a number of Python.
_SCHEDULES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "optax.constant_schedule": ("{value}", {"value": "0.5"}),
    "optax.polynomial_schedule": (
        "{init_value}, {end_value}, {power}, 4, 1",
        {"init_value": "0.5", "end_value": "2.0", "power": "2.0"},
    ),
    "optax.linear_schedule": (
        "{init_value}, {end_value}, 4, 1",
        {"init_value": "0.5", "end_value": "2.0"},
    ),
    "optax.piecewise_constant_schedule": ("{init_value}, {{2: 0.5}}", {"init_value": "0.5"}),
    "optax.exponential_decay": (
        "{init_value}, 2, 0.5, end_value={end_value}",
        {"init_value": "0.5", "end_value": "0.25"},
    ),
    "optax.cosine_decay_schedule": (
        "{init_value}, 4, {alpha}, {exponent}",
        {"init_value": "0.5", "alpha": "0.25", "exponent": "2.0"},
    ),
    "optax.piecewise_interpolate_schedule": (
        "'linear', {init_value}, {{2: 0.5, 4: 2.0}}",
        {"init_value": "0.5"},
    ),
    "optax.linear_onecycle_schedule": ("4, {peak_value}", {"peak_value": "0.5"}),
    "optax.cosine_onecycle_schedule": ("4, {peak_value}", {"peak_value": "0.5"}),
    "optax.warmup_constant_schedule": (
        "{init_value}, {peak_value}, 2",
        {"init_value": "0.25", "peak_value": "0.5"},
    ),
    "optax.warmup_cosine_decay_schedule": (
        "{init_value}, {peak_value}, 2, 6, {end_value}, {exponent}",
        {"init_value": "0.25", "peak_value": "0.5", "end_value": "0.125", "exponent": "2.0"},
    ),
    "optax.warmup_exponential_decay_schedule": (
        "{init_value}, {peak_value}, 2, 2, {decay_rate}, end_value={end_value}",
        {"init_value": "0.25", "peak_value": "0.5", "decay_rate": "0.5", "end_value": "0.125"},
    ),
    "optax.sgdr_schedule": (
        "[dict(init_value={init_value}, peak_value={peak_value}, warmup_steps=1, decay_steps=3)]",
        {"init_value": "0.25", "peak_value": "0.5"},
    ),
}


@st.composite
def numbers_of_schedules(draw: st.DrawFn) -> Recipe:
    """Draw `make`, the schedule of a number, a `value` for it and a `form`, and `count`, a step."""
    scope = Scope()
    present = tuple(name for name in _SCHEDULES if names.has(name))
    name = draw(st.sampled_from(present))
    text, values = _SCHEDULES[name]
    parameter = draw(st.sampled_from(tuple(values)))
    scope.note(f"schedule:{name.removeprefix('optax.')}", f"number:{parameter}")
    call = text.format(**{**values, parameter: "number"})
    scope.bind("make", f"lambda number: {name}({call})")
    scope.bind("value", values[parameter])
    scope.bind("count", draw(st.sampled_from(("3", "0", "2", "jnp.int32(3)", "jnp.int32(7)"))))
    _bind_form(draw, scope, _NUMBERS)
    return scope.recipe()
