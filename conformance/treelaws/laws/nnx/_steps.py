"""Steps that are compiled: what they change of the types of their state, and how often."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from treelaws.equality import equal, true


def types_of(tree: Any) -> list[tuple[Any, str, bool]]:
    """Return shape, dtype and weak type of the leaves of a tree."""
    leaves = jtu.tree_leaves(tree)
    return [(one.shape, str(one.dtype), getattr(one, "weak_type", False)) for one in leaves]


def same_types(lib: Any, step: Callable[..., Any], *objects: Any, changes: bool = True) -> None:
    """Check that compiled steps keep the types of what is in modules, and compile once.

    Args:
        lib: the library under test.
        step: a function that changes the modules.
        objects: the modules.
        changes: whether three steps change a number of the modules; default `True`.
    """
    traces: list[None] = []
    values = jtu.tree_map(np.asarray, _numbers(lib, objects))
    before = types_of(lib.state(objects))
    compiled = lib.jit(lambda *objects: (traces.append(None), step(*objects), None)[2])
    for _ in range(3):
        compiled(*objects)
        equal(types_of(lib.state(objects)), before)
    true(len(traces) == 1, f"{len(traces)} traces", "1 trace")
    pairs = zip(values, _numbers(lib, objects), strict=True)
    alike = all(np.array_equal(old, new, equal_nan=True) for old, new in pairs)
    true(not (changes and alike), values, "other numbers")


def _numbers(lib: Any, objects: Any) -> list[Any]:
    leaves = jtu.tree_leaves(lib.state(objects))
    return [leaf for leaf in leaves if not jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)]
