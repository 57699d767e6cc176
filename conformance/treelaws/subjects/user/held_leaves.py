"""Finds the leaves and nodes that stand in the text of a kind, beside its children."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import numpy as np

from hypothesis_pytrees import Kind
from hypothesis_pytrees.core.availability import example, trial_children
from hypothesis_pytrees.leaves.features import feature_of
from treelaws.core import settings
from treelaws.core.time_limit import Expired, ends_the_run, limited

from . import bases

# The part of the time limit of an input that may go into a look at the leaves.
_PART = 0.25


def with_held_leaves(kind: Kind) -> Kind:
    """Return a kind that says which leaves it holds besides its children, and which nodes.

    Args:
        kind: a kind that can be built. If it cannot be flattened, which laws report, it is
            returned as it is.
    """
    try:
        with limited(settings.case_seconds * _PART):
            instance = example(kind)
            leaves = jax.tree_util.tree_leaves(instance)
            features = tuple(bases.features_inside(instance))
    except Expired:
        return kind
    except BaseException as raised:
        if ends_the_run(raised):
            raise
        return kind
    held = [leaf for leaf in leaves if not kind.arity or not _is_child(leaf, kind)]
    # Arrays alone may stand wherever a law draws arrays, and a child of them must be one, too.
    all_arrays = not kind.arity and all(isinstance(leaf, jax.Array) for leaf in leaves)
    takes = "array" if all_arrays else kind.takes
    holds = frozenset(map(feature_of, held))
    # Known departures of nodes inside are shared, too.
    features = tuple(dict.fromkeys((*kind.features, *features)))
    return dataclasses.replace(kind, holds=holds, takes=takes, features=features)


def _is_child(leaf: Any, kind: Kind) -> bool:
    """Return whether a leaf equals one of the trial children, such as 1.0, or an array of it."""
    if not isinstance(leaf, (float, np.ndarray, jax.Array)) and not kind.picky:
        return False
    try:
        values = [eval(text, {"jax": jax, "np": np}) for text in trial_children(kind)]
        return any(np.array_equal(leaf, value) for value in values)
    except Exception:
        # A leaf may refuse comparison.
        return False
