"""Further options of a gradient transformation: numbers, switches and masks of its signature."""

from __future__ import annotations

import functools
import importlib
import inspect
import operator
from collections.abc import Mapping, Sequence
from typing import Any

from .transformations import OPTIONS, Transformation

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
# They print, or ask for an axis of `pmap` or, as documented, for `grad_fn`.
_LEFT_OUT = {"verbose", "print_win_rate_every_n_steps", "batch_axis_name", "opaque_mode"}


@functools.cache
def further_options(made: Transformation) -> Mapping[str, Sequence[str]]:
    """Return text for each parameter with a number, a switch or no mask as its default.

    Parameters in `OPTIONS` have their own laws.

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
        if values and one.name not in (*OPTIONS, *_LEFT_OUT) and not positional:
            found[one.name] = values
    return found


def mask_options(made: Transformation) -> list[str]:
    """Return the names of the parameters of a transformation that take a mask."""
    return [name for name, values in further_options(made).items() if values is _MASKS]


def _values(name: str, default: Any) -> Sequence[str]:
    """Return other values than the default, as text."""
    if name.endswith("mask") and default is None:
        return _MASKS
    if type(default) is bool:
        return (str(not default),)
    if type(default) is int:
        return (str(default + 1),)
    if type(default) is float:
        return (repr(default / 2 or 0.01),)
    return ()
