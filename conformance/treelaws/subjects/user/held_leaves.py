"""Finds the leaves and nodes that stand in the text of a kind, beside its children."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from hypothesis_pytrees import Kind
from hypothesis_pytrees.core.availability import example, trial_children
from hypothesis_pytrees.leaves.features import feature_of

from . import bases
from .trials import tried


def with_held_leaves(kind: Kind) -> Kind:
    """Return a kind that says which leaves it holds besides its children, and which nodes.

    Args:
        kind: a kind that can be built. If it cannot be flattened, which laws report, it is
            returned as it is.
    """
    found = tried(lambda: _inside(example(kind)))
    if found is None:
        return kind
    leaves, features = found
    values = _trial_values(kind) if kind.arity else []
    held = [leaf for leaf in leaves if not kind.arity or not _is_child(leaf, kind, values)]
    # Arrays alone may stand wherever a law draws arrays, and a child of them must be one, too.
    all_arrays = not kind.arity and all(isinstance(leaf, jax.Array) for leaf in leaves)
    takes = "array" if all_arrays else kind.takes
    holds = frozenset(map(feature_of, held))
    # Known departures of nodes inside are shared, too.
    features = tuple(dict.fromkeys((*kind.features, *features)))
    return dataclasses.replace(kind, holds=holds, takes=takes, features=features)


def _inside(instance: Any) -> tuple[list[Any], tuple[str, ...]]:
    """Return the leaves of an instance, and its features and those of the nodes inside."""
    own = ("mapping",) if isinstance(instance, Mapping) else ()
    return jax.tree_util.tree_leaves(instance), (*own, *bases.features_inside(instance))


def _trial_values(kind: Kind) -> list[Any]:
    return [eval(text, {"jax": jax, "np": np}) for text in trial_children(kind)]


def _is_child(leaf: Any, kind: Kind, values: Sequence[Any]) -> bool:
    """Return whether a leaf equals one of the trial children, such as 1.0, or an array of it."""
    if not isinstance(leaf, (float, np.ndarray, jax.Array)) and not kind.picky:
        return False
    try:
        return any(np.array_equal(leaf, value) for value in values)
    except Exception:
        # A leaf may refuse comparison.
        return False
