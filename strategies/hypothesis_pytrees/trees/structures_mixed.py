"""Structures that hold a user's nodes, for laws that compile."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe

from .trees import kinds_mixed_in

# A child for each place of a node; structures give it arrays like this one.
_CHILD = "jax.device_put(np.float32([1.0, 2.0]))"
_ARRAYS = (jax.Array, np.ndarray)
# Leaves that are equal to themselves alone in each build.
_STATIC = (bool, int, str, complex)


def kinds_that_fit(
    *, integers: bool, scalars: bool, statics: bool, finite: bool
) -> tuple[Kind, ...]:
    """Return the kinds of `mixed_in` whose own leaves a structure may hold.

    Args:
        integers: as for `structures`, like the other arguments.
    """

    def fits(leaf: Any) -> bool:
        if not isinstance(leaf, _ARRAYS):
            return statics and type(leaf) in _STATIC
        if leaf.dtype not in ((np.float32, np.int32) if integers else (np.float32,)):
            return False
        return (scalars or leaf.shape == (2,)) and (not finite or bool(np.isfinite(leaf).all()))

    return kinds_mixed_in(lambda kind: all(map(fits, _leaves(kind))))


@functools.lru_cache(maxsize=256)
def _leaves(kind: Kind) -> list[Any]:
    """Return the leaves of a node with arrays for children; one that fits nowhere on an error."""
    try:
        built = Recipe(kind.definitions, (), kind.text([_CHILD] * kind.arity)).build()
    except Exception:
        # A constructor may reject arrays of this shape.
        return [object()]
    return jtu.tree_leaves(built)
