"""Undoes what a pickle does to the dtypes of `ml_dtypes`, which a whole process shares.

NumPy keeps one object for such a dtype and unpickles into it. A pickle with other flags, as other
releases of `ml_dtypes` write them, changes its hash, and JAX refuses that dtype from then on: also
in the cases that follow.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import jax.numpy as jnp
import numpy as np

_DTYPES = [getattr(found, "dtype", None) for found in vars(jnp).values()]
# `__setstate__` is in no stub.
_STATES: list[tuple[Any, Any]] = [
    (dtype, dtype.__reduce__()[2])
    for dtype in _DTYPES
    if isinstance(dtype, np.dtype) and dtype.type.__module__ == "ml_dtypes"
]


@contextlib.contextmanager
def unchanged_dtypes() -> Iterator[None]:
    """Give the dtypes of `ml_dtypes` the state that they had in the beginning."""
    try:
        yield
    finally:
        for dtype, state in _STATES:
            if dtype.__reduce__()[2] != state:
                dtype.__setstate__(state)
