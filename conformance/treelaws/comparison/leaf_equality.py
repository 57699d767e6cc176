"""Equality of leaves: type, dtype, shape, weak type and bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.core
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

_NUMBERS = (int, float, complex, jax.Array, np.ndarray, np.generic)


def leaf_difference(one: Any, other: Any) -> str | None:
    """Return the first aspect in which two leaves differ, or `None`."""
    if one is other:
        return None
    if type(one) is not type(other):
        return "type"
    if isinstance(one, (jax.Array, np.ndarray, np.generic)):
        return _array_difference(one, other)
    if isinstance(one, (float, complex)):
        return None if repr(one) == repr(other) else "value"
    if type(one).__eq__ is object.__eq__:
        return None if _are_equal_nodes(one, other) else "identity"
    try:
        agree = bool(one == other)
    except Exception as raised:
        return f"identity (and == raises {type(raised).__name__})"
    return None if agree else "value"


def _are_equal_nodes(one: Any, other: Any) -> bool:
    """Return whether two objects are nodes, which NNX may hold as leaves, with equal contents."""
    if jtu.all_leaves([one]):
        return False
    (mine, treedef), (theirs, wanted) = jtu.tree_flatten(one), jtu.tree_flatten(other)
    same = len(mine) == len(theirs) and treedef == wanted
    return same and not any(map(leaf_difference, mine, theirs))


def _array_difference(one: Any, other: Any) -> str | None:
    for aspect in ("dtype", "shape", "weak_type"):
        if getattr(one, aspect, None) != getattr(other, aspect, None):
            return aspect
    if isinstance(one, jax.core.Tracer):
        return "identity"
    one, other = as_numpy(one), as_numpy(other)
    if one.dtype == object:
        pairs = zip(one.ravel().tolist(), other.ravel().tolist(), strict=True)
        return "value" if any(leaf_difference(a, b) for a, b in pairs) else None
    return None if one.tobytes() == other.tobytes() else "value"


def number_types(value: Any) -> Any:
    """Return a plain value with each number and array replaced by its type, other leaves by None.

    Lists, tuples and mappings that hold the same types give equal results.
    """
    if isinstance(value, Mapping):
        return {key: number_types(value[key]) for key in value}
    if isinstance(value, (tuple, list)):
        return [number_types(one) for one in value]
    return type(value) if isinstance(value, _NUMBERS) else None


def as_numpy(array: Any) -> np.ndarray:
    """Return an array as a NumPy array; of PRNG keys, their data."""
    if isinstance(array, jax.Array) and jnp.issubdtype(array.dtype, jax.dtypes.prng_key):
        array = jax.random.key_data(array)
    return np.asarray(array)
