"""Attention of Flax NNX by hand, with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np


def attention(
    query: Any, key: Any, value: Any, bias: Any = None, mask: Any = None, is_causal: bool = False
) -> Any:
    """Return the weighted values.

    Args:
        query: an array of shape `[batch..., length, heads, depth]`.
        key: as `query`, with lengths of its own; fewer heads are repeated.
        value: as `key`, with depths of its own.
        bias: is added to the weights, of shape `[batch..., heads, queries, keys]`, or None.
        mask: as `bias`; false where a query does not see a key.
        is_causal: whether a query sees no key after it.
    """
    query, key, value = (np.asarray(one, np.float64) for one in (query, key, value))
    times = query.shape[-2] // key.shape[-2]
    key, value = (np.repeat(one, times, axis=-2) for one in (key, value))
    weights = np.einsum("...qhd,...khd->...hqk", query, key) / np.sqrt(query.shape[-1])
    if bias is not None:
        weights = weights + np.asarray(bias, np.float64)
    seen = np.ones(weights.shape, bool)
    if mask is not None:
        seen = seen & np.asarray(mask).astype(bool)
    if is_causal:
        seen = seen & np.tril(np.ones(weights.shape[-2:], bool))
    weights = np.where(seen, weights, -np.inf)
    weights = np.exp(weights - weights.max(-1, keepdims=True))
    weights = weights / weights.sum(-1, keepdims=True)
    return np.einsum("...hqk,...khd->...qhd", weights, value)


def rotated(x: Any, theta: float, positions: Any = None) -> Any:
    """Return an array of shape `[..., length, depth]`, each pair of features turned.

    Args:
        x: the array.
        theta: the base of the frequencies.
        positions: those of the places, of shape `[..., length]`; default counted from 0.
    """
    x = np.asarray(x, np.float64)
    places = np.arange(x.shape[-2]) if positions is None else np.asarray(positions, np.float64)
    half = x.shape[-1] // 2
    angles = places[..., None] * theta ** (-np.arange(half) / half)
    first, second = x[..., :half], x[..., half:]
    cos, sin = np.cos(angles), np.sin(angles)
    return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)


def heads_rotated(x: Any, theta: float, positions: Any = None) -> Any:
    """Return an array of shape `[batch..., length, heads, depth]`, each head turned.

    Args:
        x: the array.
        theta: the base of the frequencies.
        positions: those of the places, of shape `[..., length]`; default counted from 0.
    """
    heads = np.moveaxis(np.asarray(x), -2, 0)
    return np.moveaxis(np.stack([rotated(head, theta, positions) for head in heads]), 0, -2)
