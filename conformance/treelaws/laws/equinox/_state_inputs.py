"""Shared by the laws of `State`: links, strategies, and ways to copy and set a state."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.equinox.states import stateful_models
from hypothesis_pytrees.equinox.states_layers import stateful_layers

DOCS = "https://docs.kidger.site/equinox/api/nn/stateful/"
# The blob of the newest release.
CODE = "https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/nn/_stateful.py"
STATE = frozenset({"nn.State", "nn.StateIndex", "nn.make_with_state"})

MODELS = stateful_models(history=True)
WITH_NORMS = stateful_models(stateful_layers(norms=True), history=True)
FRESH = stateful_models()


def clone(state: Any) -> Any:
    """Return a copy of a state, made by the two lines that Equinox advises."""
    leaves, treedef = jtu.tree_flatten(state)
    return jtu.tree_unflatten(treedef, leaves)


def replaced_at(places: Iterable[int], one: list[Any], other: list[Any]) -> list[Any]:
    """Return the values of `one`, at the given places those of `other`."""
    chosen = set(places)
    return [other[i] if i in chosen else one[i] for i in range(len(one))]


def with_all_set(state: Any, indices: Iterable[Any], values: Iterable[Any]) -> Any:
    """Return the state after each index was set, one after another."""
    for index, value in zip(indices, values, strict=True):
        state = state.set(index, value)
    return state


def attempt(call: Callable[[], Any]) -> None:
    """Make a call that should raise an error; another law checks that error."""
    with contextlib.suppress(KeyError, ValueError):
        call()


def strong(tree: Any) -> Any:
    """Return the tree with the weak types of its arrays made strong: files do not store them."""
    return jtu.tree_map(
        lambda leaf: jax.device_put(np.asarray(leaf)) if _weak(leaf) else leaf, tree
    )


def _weak(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array) and leaf.weak_type
