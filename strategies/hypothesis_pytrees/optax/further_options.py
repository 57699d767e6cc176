"""Further options of a gradient transformation: what its signature takes beside `OPTIONS`."""

from __future__ import annotations

import functools
import importlib
import inspect
import operator
import re
import typing
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from .transformations import Transformation

_MASKS = (
    "True",
    "lambda tree: jtu.tree_map(lambda leaf: True, tree)",
    "lambda tree: jtu.tree_map(lambda leaf: leaf.ndim > 1, tree)",
)
# Forms of a mask that selects every parameter.
EVERYWHERE = (
    "True",
    "jtu.tree_map(lambda leaf: True, params)",
    "lambda tree: jtu.tree_map(lambda leaf: True, tree)",
)
_BACKTRACKING = "optax.scale_by_backtracking_linesearch(max_backtracking_steps=3)"
_HUTCHINSON = "optax.contrib.hutchinson_estimator_diag_hessian(jax.random.PRNGKey(1))"
# Documented values of parameters, where the default does not say what others are.
_BY_NAME: Mapping[str, Sequence[str]] = {
    "adam_learning_rate": ("0.01", "optax.linear_schedule(0.1, 0.0, 10)"),
    "base_optimizer": ("optax.sgd(1.0)",),
    "beta3": ("0.9",),
    "clip_value_fn": ("lambda step: step + 1.0",),
    "consistent_rms": ("0.2",),
    "decay_rate_fn": ("lambda step, rate: rate / (step + 1.0)",),
    "eta_plus": ("1.5",),
    "hessian_diagonal_fn": (_HUTCHINSON,),
    "increase_factor": ("3.0",),
    "init_estim_sq_dist": ("0.001",),
    "init_step": ("('distance', 0.1)", "('learning_rate', 0.1)"),
    "initial_guess_strategy": ("'one'",),
    "linesearch": ("None", _BACKTRACKING),
    "max_learning_rate": ("0.5",),
    "mode": ("'smooth'", "'refined'"),
    "preconditioning": ("'spectral'", "'aol'", "'schatten'"),
    "random_seed": ("jax.random.PRNGKey(1)",),
    "threshold": ("6.0",),
    "variant": ("'sps+'",),
    "warmup_steps": ("3",),
    "weight_decay": ("0.1",),
    "weight_decay_rate": ("0.01",),
}
# They print, or ask for an axis of `pmap` or, as documented, for `grad_fn`.
_LEFT_OUT = {"verbose", "print_win_rate_every_n_steps", "batch_axis_name", "opaque_mode"}


@functools.cache
def further_options(made: Transformation) -> Mapping[str, Sequence[str]]:
    """Return text for each parameter with other values than its default, where they are known.

    Options of a transformation have their own laws.

    Args:
        made: the transformation.
    """
    if not made.text.startswith(f"optax.{made.name}("):
        return {}
    try:
        function = operator.attrgetter(made.name)(importlib.import_module("optax"))
    except AttributeError:
        # A release that lacks it fails its other laws.
        return {}
    given = made.text.count("=") or made.text.endswith("()")
    found = {}
    for place, one in enumerate(inspect.signature(function).parameters.values()):
        positional = not given and place == 0
        values = _values(one.name, one.default)
        if values and one.name not in (*made.options, *_LEFT_OUT) and not positional:
            found[one.name] = values
    return found


@functools.cache
def array_options(made: Transformation) -> Mapping[str, Sequence[str]]:
    """Return the number of each parameter that is annotated as an array, as texts of an array.

    One annotated as a NumPy number is also given as such a scalar.

    Integers are left out: many of them are counts that Python asks for.

    Args:
        made: the transformation.
    """
    if not made.text.startswith(f"optax.{made.name}("):
        return {}
    try:
        function = operator.attrgetter(made.name)(importlib.import_module("optax"))
    except AttributeError:
        return {}
    found = {}
    for one in inspect.signature(function).parameters.values():
        number = one.default if one.default is not one.empty else _given(made, one.name)
        allowed = typing.get_args(one.annotation)
        if type(number) is float and jax.Array in allowed:
            scalars = (f"np.float32({number!r})",) * (np.number in allowed)
            found[one.name] = (f"jnp.float32({number!r})", *scalars)
    return found


def _given(made: Transformation, name: str) -> float | None:
    """Return the number that a transformation is called with, or `None` for anything else."""
    text = re.search(rf"[(, ]{name}=(-?[0-9.]+)[,)]", made.text)
    return float(text[1]) if text else None


def mask_options(made: Transformation) -> list[str]:
    """Return the names of the parameters of a transformation that take a mask."""
    return [name for name, values in further_options(made).items() if values is _MASKS]


def _values(name: str, default: Any) -> Sequence[str]:
    """Return other values than the default, as text."""
    if name.endswith("mask") and default is None:
        return _MASKS
    if name in _BY_NAME:
        return _BY_NAME[name]
    if type(default) is bool:
        return (str(not default),)
    if type(default) is int:
        return (str(default + 1),)
    if type(default) is float:
        return (repr(default / 2 or 0.01),)
    if type(default) is tuple and default and all(type(one) is float for one in default):
        return (repr(tuple(one / 2 for one in default)),)
    return ()
