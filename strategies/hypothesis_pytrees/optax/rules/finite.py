"""Finite gradients of every size, for transformations whose `eps` is documented to keep them so."""

from __future__ import annotations

import functools
import importlib
import inspect
import operator
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees.core import names
from hypothesis_pytrees.core.availability import probe_first
from hypothesis_pytrees.core.recipe import Recipe, Scope

from ..transformations import EXTRA, found, with_argument

# What the documentation of `eps` says where it promises a quotient: "to avoid dividing by zero",
# "to improve numerical stability", "jitter term to avoid dividing by 0", or that it is the one of
# Adam, which avoids a division by zero.
_PROMISES = re.compile(r"zero|\b0\b|stability|underlying Adam")
# The initial learning rate of a warmup, as `prodigy` and `dadapt_adamw` recommend it.
_WARMUP = "optax.linear_schedule(0.0, 0.1, 2)"
# Options with another denominator.
_SWITCHES: Mapping[str, str] = {
    "bias_correction": "True",
    "centered": "True",
    "nesterov": "True",
    "safeguard_warmup": "True",
}
# "None implies that all parameters are 2D matrices". A tree of them is a known departure.
_LEFT_OUT = {"contrib.scale_by_muon"}
_DTYPES = ("float32", "bfloat16", "float16")
_ROW = "[1.0, -0.7, 1.3, 0.1, -2.1, 0.3, 1.7, -0.9, 0.6, 1.1, -1.9, 0.2, 2.3, -0.4, 0.8, 1.6]"
# By what they are called in features: a factor of such a row. Squares of the last two are not
# finite or zero in float16, which no documentation rules out.
_SIZES: Mapping[str, str] = {"zero": "0.0", "plain": "1.0", "tiny": "1e-25", "large": "1e4"}
_OF_FLOAT16 = ("zero", "plain")


class _Row(NamedTuple):
    name: str
    text: str
    eps: float
    schedules: bool
    switches: Sequence[str]


@functools.cache
def promising() -> tuple[_Row, ...]:
    """Return the transformations whose docstring says that `eps` makes a quotient finite."""
    optax = importlib.import_module("optax")
    rows = []
    for made in found():
        try:
            function: Any = operator.attrgetter(made.name)(optax)
        except AttributeError:
            # A release that lacks it fails its other laws.
            continue
        parameters = inspect.signature(function).parameters
        eps = parameters["eps"].default if "eps" in parameters else None
        # One that is 0 by default is documented as an option to keep quotients finite.
        if (
            made.name not in _LEFT_OUT
            and eps
            and _PROMISES.search(_entry(inspect.getdoc(function) or ""))
        ):
            switches = [name for name in _SWITCHES if name in parameters]
            # Of an optional one, the number is not the learning rate of the whole.
            rate = parameters.get("learning_rate")
            schedules = rate is not None and "learning_rate" in made.options
            rows.append(_Row(made.name, made.text, eps, schedules, switches))
    return tuple(rows)


def _entry(doc: str) -> str:
    """Return the documentation of `eps` in a docstring."""
    found = re.search(r"^( *)eps:(.*(\n\1 +.*)*)", doc, re.M)
    return " ".join(found[2].split()) if found else ""


def finite_gradients() -> st.SearchStrategy[Recipe]:
    """Draw `tx`, `params` and `grads`, a list of the gradients of each step, which are finite.

    `extra` gives the extra arguments of `update` for the parameters and the gradients of a step.
    """
    return probe_first(promising, _finite_gradients())


@st.composite
def _finite_gradients(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    row = draw(st.sampled_from(promising()))
    dtype = draw(st.sampled_from(_DTYPES))
    scope.note(f"case:{row.name}", f"dtype:{dtype}")
    if dtype == "float16" and row.eps < np.finfo(np.float16).tiny:
        scope.note("eps:below-normal")
    array = f"jnp.asarray(np.float32({_ROW}).reshape(4, 4), jnp.{dtype})"
    scope.bind("params", f"{{'w': {array}}}")
    sizes = _OF_FLOAT16 if dtype == "float16" else tuple(_SIZES)
    drawn = draw(st.lists(st.sampled_from(sizes), min_size=1, max_size=3))
    scope.note(*(f"grads:{size}" for size in drawn), f"grads-first:{drawn[0]}")
    factors = [_SIZES[size] for size in drawn]
    scaled = "{'w': (params['w'].astype(jnp.float32) * factor).astype(params['w'].dtype)}"
    scope.bind("grads", f"[{scaled} for factor in ({', '.join(factors)},)]")
    text = row.text
    if row.schedules and draw(st.booleans()):
        text = with_argument(text, "learning_rate", _WARMUP)
        scope.note("rate:zero-first")
    for name in row.switches:
        if draw(st.booleans()):
            text = with_argument(text, name, _SWITCHES[name])
            scope.note(f"switch:{name}")
    scope.bind("tx", text)
    scope.bind("extra", f"lambda params, grads: {EXTRA.get(row.name, '{}')}")
    return scope.recipe()


# Optimisers whose hyperparameters have defaults, all of which are numbers of the state.
_INJECTED = (
    *("sgd(0.5)", "sgd(0.5, momentum=0.9)", "adam(0.1)", "adamw(0.1)", "adamax(0.1)"),
    *("adamaxw(0.1)", "amsgrad(0.1)", "nadam(0.1)", "rmsprop(0.1)", "adagrad(0.1)", "lion(0.1)"),
    *("yogi(0.1)", "lamb(0.1)", "lars(0.1)", "adabelief(0.1)", "adan(0.1)", "radam(0.1)"),
    # `novograd` takes no arrays of another dtype, which is a known departure.
    *("sm3(0.1)", "trace(0.9)", "scale(-0.5)", "fromage(0.1)"),
    *("optimistic_gradient_descent(0.1)", "contrib.ademamix(0.1)", "contrib.acprop(0.1)"),
)


@st.composite
def injected_halves(draw: st.DrawFn) -> Recipe:
    """Draw `params` of half precision, `tx`, and `injected`, which is made of its factory."""
    scope = Scope()
    present = tuple(one for one in _INJECTED if names.has(f"optax.{one.partition('(')[0]}"))
    factory, _, arguments = draw(st.sampled_from(present)).partition("(")
    dtype = draw(st.sampled_from(_DTYPES[1:]))
    scope.note(f"case:{factory}", f"dtype:{dtype}")
    scope.bind("params", f"{{'w': jnp.asarray([1.0, -2.0, 0.5], jnp.{dtype})}}")
    scope.bind("tx", f"optax.{factory}({arguments}")
    option = draw(st.sampled_from(("", ", hyperparam_dtype=jnp.float32")))
    scope.note("dtype-given" if option else "dtype-of-parameters")
    scope.bind("injected", f"optax.inject_hyperparams(optax.{factory}{option})({arguments}")
    return scope.recipe()
