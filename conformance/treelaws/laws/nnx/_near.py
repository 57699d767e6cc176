"""Equality of computed numbers up to rounding."""

from __future__ import annotations

from typing import Any

import jax.tree_util as jtu
import numpy as np

from treelaws.core.mismatch import Mismatch
from treelaws.equality import equal


def near(got: Any, wanted: Any, dtype: Any = None) -> None:
    """Raise `Mismatch` unless trees of arrays agree in shape and, up to rounding, in value.

    Args:
        got: the result of the subject.
        wanted: the expected numbers, as NumPy arrays.
        dtype: the expected dtype of every array; default any.

    Raises:
        Mismatch: they differ.
    """
    found, expected = jtu.tree_leaves(got), jtu.tree_leaves(wanted)
    equal(len(found), len(expected))
    for one, other in zip(found, expected, strict=True):
        equal(tuple(one.shape), tuple(np.shape(other)))
        if dtype is not None:
            equal(str(np.dtype(one.dtype)), str(np.dtype(dtype)))
        # Half precision, or that which some devices compute with by default.
        most = 0.1 if np.dtype(one.dtype).itemsize == 2 else 0.01
        numbers, reference = (np.asarray(part, np.float64) for part in (one, other))
        if not np.allclose(numbers, reference, rtol=most, atol=most, equal_nan=True):
            raise Mismatch("", "numbers", str(numbers), f"about {reference}")
