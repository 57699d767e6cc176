"""JAX: taking trees apart and putting them together."""

from __future__ import annotations

import functools
import operator

import jax

from pytree_timing.operation import Call, Given, Topic

_KINDS = ("tuple", "dict", "node", "module", "mixed", "nnx")
topic = Topic("tree")


@topic(*_KINDS)
def flatten(given: Given) -> Call:
    """jax.tree.flatten."""
    return functools.partial(jax.tree_util.tree_flatten, given.tree)


@topic(*_KINDS)
def unflatten(given: Given) -> Call:
    """jax.tree.unflatten."""
    leaves, structure = jax.tree_util.tree_flatten(given.tree)
    return functools.partial(jax.tree_util.tree_unflatten, structure, leaves)


@topic(*_KINDS)
def map(given: Given) -> Call:
    """jax.tree.map of the identity."""
    return functools.partial(jax.tree_util.tree_map, lambda leaf: leaf, given.tree)


@topic(*_KINDS)
def flatten_with_path(given: Given) -> Call:
    """jax.tree_util.tree_flatten_with_path."""
    return functools.partial(jax.tree_util.tree_flatten_with_path, given.tree)


@topic(*_KINDS)
def compare_structures(given: Given) -> Call:
    """Comparing the structures of two equal trees."""
    structure = jax.tree_util.tree_structure
    return functools.partial(operator.eq, structure(given.tree), structure(given.fresh()))
