"""Texts of arrays by shape and dtype, and by hints of jaxtyping."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, MutableMapping
from typing import Any

import jax
import numpy as np

# The first of these that a hint allows.
_DTYPES = ("float32", "int32", "bool", "uint32", "complex64", "bfloat16", "prng_key")
_MOST_WRITTEN = 8
_AXIS = re.compile(r"^[*#_?]*(?:(\w+)=)?(.*)$")


def is_jaxtyping_array(hint: Any) -> bool:
    """Return whether a hint is an array of jaxtyping, such as `Float[Array, "n 3"]`."""
    return isinstance(hint, type) and hasattr(hint, "dim_str") and hasattr(hint, "array_type")


def of_jaxtyping(hint: Any, sizes: MutableMapping[str, int], first: int) -> Iterator[str]:
    """Yield the text of an array that fits a hint of jaxtyping; nothing for other array types.

    Args:
        hint: the hint.
        sizes: sizes of named axes; those that it lacks are added.
        first: size of the first named axis; each further one is larger by 1.
    """
    shape = _shape(hint.dim_str, sizes, first)
    allowed = hint.dtypes if isinstance(hint.dtypes, (tuple, list)) else _DTYPES
    dtype = next((name for name in _DTYPES if name in allowed), None)
    dtype = dtype or next((name for name in allowed if hasattr(np, name)), None)
    if dtype is None:
        return
    if hint.array_type in (jax.Array, Any):
        yield jax_array(shape, dtype)
    elif hint.array_type is np.ndarray and dtype != "prng_key":
        yield numpy_array(shape, dtype)


def jax_array(shape: tuple[int, ...], dtype: str) -> str:
    """Return the text of a `jax.Array` with different elements."""
    if dtype == "prng_key":
        key = "jax.random.key(0)"
        return f"jax.random.split({key}, {shape})" if shape else key
    return f"jax.device_put({numpy_array(shape, dtype)})"


def numpy_array(shape: tuple[int, ...], dtype: str) -> str:
    """Return the text of a `numpy.ndarray` whose elements differ, if its dtype is not `bool`."""
    scalar = {"bool": "np.bool_", "bfloat16": "jnp.bfloat16"}.get(dtype, f"np.{dtype}")
    size = math.prod(shape)
    if not size:
        return f"np.zeros({shape}, {scalar})"
    if size > _MOST_WRITTEN:
        return f"np.arange({size}).reshape({shape}).astype({scalar})"
    numbers = np.arange(1, size + 1).reshape(shape)
    values = (numbers % 2 == 1) if dtype == "bool" else numbers
    if "float" in dtype or "complex" in dtype:
        values = numbers.astype(float)
    return f"np.array({values.tolist()}, {scalar})"


def _shape(axes: str, sizes: MutableMapping[str, int], first: int) -> tuple[int, ...]:
    found: list[int] = []
    for axis in axes.split():
        match = _AXIS.match(axis)
        name, size = (match[1], match[2]) if match else (None, axis)
        if axis.startswith("*") or size == "...":
            continue
        length = _size(size, sizes, first)
        if name:
            sizes[name] = length
        found.append(length)
    return tuple(found)


def _size(text: str, sizes: MutableMapping[str, int], first: int) -> int:
    if text.isdigit():
        return int(text)
    if text.isidentifier():
        return sizes.setdefault(text, first + len(sizes))
    try:
        # As jaxtyping reads `n+1`, over the axes that were named before.
        return int(eval(text, {"__builtins__": {}}, dict(sizes)))
    except Exception:
        # An expression may also name attributes of the instance; the constructor decides.
        return first
