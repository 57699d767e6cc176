"""Undoes what a pickle does to the dtypes of `ml_dtypes`, which a whole process shares.

NumPy keeps one object for such a dtype and unpickles into it. A pickle with other flags, as other
releases of `ml_dtypes` write them, changes its hash, and JAX refuses that dtype from then on: also
in the cases that follow.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

_KINDS = [
    kind
    for kind in vars(ml_dtypes).values()
    if isinstance(kind, type) and issubclass(kind, np.generic)
]
# `__setstate__` is in no stub.
_STATES: list[tuple[Any, Any]] = [
    (np.dtype(kind), np.dtype(kind).__reduce__()[2]) for kind in _KINDS
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
