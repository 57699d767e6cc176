"""What the laws of Equinox' state share: links, inputs, and ways to read and write a state."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.equinox.states import stateful_models
from hypothesis_pytrees.equinox.states_layers import stateful_layers
from treelaws.equality import same

DOCS = "https://docs.kidger.site/equinox/api/nn/stateful/"
# The blob of the newest release.
CODE = "https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/nn/_stateful.py"
STATE = frozenset({"nn.State", "nn.StateIndex", "nn.make_with_state"})

MODELS = stateful_models(history=True)
WITH_NORMS = stateful_models(stateful_layers(norms=True), history=True)
FRESH = stateful_models()


def clone(state: Any) -> Any:
    """Give another state of the same values, by the two lines of Equinox' own advice."""
    leaves, treedef = jtu.tree_flatten(state)
    return jtu.tree_unflatten(treedef, leaves)


def holds(state: Any, indices: Iterable[Any], values: Iterable[Any]) -> None:
    """Demand that a state has these values at these indices."""
    for index, value in zip(indices, values, strict=True):
        same(state.get(index), value)


def where(places: Iterable[int], one: list[Any], other: list[Any]) -> list[Any]:
    """Give the values of `other` at the places and those of `one` elsewhere."""
    chosen = set(places)
    return [other[i] if i in chosen else one[i] for i in range(len(one))]


def with_all_set(state: Any, indices: Iterable[Any], values: Iterable[Any]) -> Any:
    """Set one index after another."""
    for index, value in zip(indices, values, strict=True):
        state = state.set(index, value)
    return state


def refused(call: Callable[[], Any]) -> None:
    """Make a call that is bound to be refused; which error it is another law asks."""
    with contextlib.suppress(KeyError, ValueError):
        call()


def strong(tree: Any) -> Any:
    """Make the weak types of a tree strong: a file knows none."""
    return jtu.tree_map(
        lambda leaf: jax.device_put(np.asarray(leaf)) if _weak(leaf) else leaf, tree
    )


def _weak(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array) and leaf.weak_type
