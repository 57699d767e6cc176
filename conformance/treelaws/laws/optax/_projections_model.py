"""A model of Optax's projections: vectors of NumPy in double precision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax.tree_util as jtu
import numpy as np


def flat(tree: Any) -> np.ndarray:
    """Return all numbers of a tree as one vector of shape `(n,)` and dtype float64."""
    return np.concatenate([np.float64(leaf).ravel() for leaf in jtu.tree_leaves(tree)])


def nearest(case: Any) -> np.ndarray:
    """Return the point nearest to the tree of a case in its set, as one vector.

    Args:
        case: binds `tree`, `onto`, `scale` and `normal`.
    """
    return _MODELS[case.onto](flat(case.tree), case.scale, flat(case.normal))


def _simplex(x: np.ndarray, scale: float, _: Any = None) -> np.ndarray:
    """Bisect for the number whose subtraction makes the positive parts sum to `scale`."""
    low, high = x.min() - scale, x.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(x - middle, 0).sum() > scale else (low, middle)
    return np.maximum(x - high, 0)


def _l1_sphere(x: np.ndarray, scale: float, _: Any = None) -> np.ndarray:
    return np.where(x < 0, -1, 1) * _simplex(abs(x), scale)


def _ball(norm: Callable[[np.ndarray], Any], sphere: Callable[..., np.ndarray]) -> Any:
    return lambda x, scale, _: x if norm(x) <= scale else sphere(x, scale)


def _l2_sphere(x: np.ndarray, scale: float, _: Any = None) -> np.ndarray:
    return x * scale / np.linalg.norm(x)


def _hyperplane(x: np.ndarray, scale: float, normal: np.ndarray) -> np.ndarray:
    return x + (scale - x @ normal) / (normal @ normal) * normal


_MODELS: Mapping[str, Callable[[np.ndarray, float, np.ndarray], np.ndarray]] = {
    "non_negative": lambda x, _, normal: np.maximum(x, 0),
    "box": lambda x, scale, _: x.clip(-scale / 2, scale),
    "box-of-trees": lambda x, scale, _: x.clip(-scale / 2, scale),
    "hypercube": lambda x, scale, _: x.clip(0, scale),
    "simplex": _simplex,
    "l1_sphere": _l1_sphere,
    "l1_ball": _ball(lambda x: abs(x).sum(), _l1_sphere),
    "l2_sphere": _l2_sphere,
    "l2_ball": _ball(np.linalg.norm, _l2_sphere),
    "linf_ball": lambda x, scale, _: x.clip(-scale, scale),
    "vector": lambda x, _, normal: (x @ normal) / (normal @ normal) * normal,
    "hyperplane": _hyperplane,
    "halfspace": lambda x, scale, a: x if x @ a <= scale else _hyperplane(x, scale, a),
}
