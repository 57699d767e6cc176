"""What a step does to a module whose Variables are stacked, entry after entry."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from treelaws.compat import nnx as nnx_api

from ._model import Path, variables_of


def one_by_one(case: Any) -> tuple[Any, Any]:
    """Run the step of a case for each entry of the stack; return the results and the module.

    A Variable without an axis has its value in each entry, one that is a carry that of the entry
    before.

    Args:
        case: a case of `stacked_modules`.
    """
    module = case.rebuild().module
    start, parts, results = _values(module), [], []
    carried = start
    for index in range(case.size):
        one = case.rebuild().module
        for path, variable in variables_of(one):
            nnx_api.set_value(variable, _entry(case.axis_of[path], start, carried, path, index))
        results.append(case.step(one, case.x[index]))
        carried = _values(one)
        parts.append(carried)
    for path, variable in variables_of(module):
        axis, values = case.axis_of[path], [part[path] for part in parts]
        stacked = jnp.stack(values, axis) if isinstance(axis, int) else values[-1]
        nnx_api.set_value(variable, stacked)
    return jnp.stack(results), module


def _values(module: Any) -> dict[Path, Any]:
    return {path: nnx_api.value(variable) for path, variable in variables_of(module)}


def _entry(
    axis: Any, start: dict[Path, Any], carried: dict[Path, Any], path: Path, index: int
) -> Any:
    if isinstance(axis, int):
        return jnp.asarray(np.take(np.asarray(start[path]), index, axis))
    return start[path] if axis is None else carried[path]
