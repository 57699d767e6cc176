"""Names of leaves that exist already, by the tables that leaves are drawn from."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

_FLOATING = {"f": "float32", "V": "bfloat16", "c": "complex64", "b": "bool", "i": "int32"}
_NUMPY = {"f": "numpy-float32", "i": "numpy-int64", "b": "numpy-bool", "V": "numpy-bfloat16"}
_SCALARS = {"i": "numpy-int-scalar", "u": "numpy-int-scalar", "b": "numpy-bool-scalar"}
_PYTHON = {bool: "true", int: "int", float: "float", complex: "complex", str: "str"}


def feature_of(leaf: Any) -> str:
    """Return the feature of the drawn leaf that is most like a leaf, such as `"leaf:float32"`.

    A law that draws that leaf accepts the given one.

    Args:
        leaf: any leaf of a tree.
    """
    return f"leaf:{_name(leaf)}"


def _name(leaf: Any) -> str:
    if isinstance(leaf, jax.Array):
        return _of_array(leaf)
    if isinstance(leaf, np.ndarray):
        return _NUMPY.get(leaf.dtype.kind, "object")
    if isinstance(leaf, np.generic):
        return _SCALARS.get(leaf.dtype.kind, "numpy-scalar")
    if type(leaf) in _PYTHON:
        return _PYTHON[type(leaf)]
    return "function" if callable(leaf) else "object"


def _of_array(leaf: jax.Array) -> str:
    if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return "key"
    if leaf.weak_type:
        return "weak"
    if not leaf.size:
        return "empty"
    if leaf.dtype.kind == "f" and not np.isfinite(np.asarray(leaf)).all():
        return "nan"
    return _FLOATING.get(leaf.dtype.kind, "uint8")
