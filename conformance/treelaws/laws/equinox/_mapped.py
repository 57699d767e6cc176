"""Functions that the laws of `filter_vmap` and `filter_pmap` map."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from ._functions import doubled, is_array


def pair(array: Any) -> Any:
    """Return two arrays, the second of one dimension more."""
    return array + array, jnp.stack([array, -array], axis=-1)


def doubled_arrays(tree: Any) -> list[Any]:
    """Return the arrays, each added to itself, in order."""
    return [leaf for leaf in jtu.tree_leaves(doubled(tree)) if is_array(leaf)]


def both(tree: Any, other: Any) -> Any:
    """Double two trees."""
    return doubled(tree), doubled(other)


def counted_along(name: str, tree: Any) -> list[Any]:
    """Return for each array how many entries the axis of that name has, in each place."""
    return [jax.lax.psum(jnp.ones(leaf.shape), name) for leaf in doubled_arrays(tree)]
