"""What is done inside of the calls that are timed."""

from __future__ import annotations

import functools
import operator
from typing import Any

import jax

from .operation import Call


def arrays(tree: Any) -> Any:
    """Return the tree with `None` for each leaf that is not an array."""
    leaves, structure = jax.tree_util.tree_flatten(tree)
    kept = [leaf if isinstance(leaf, jax.Array) else None for leaf in leaves]
    return jax.tree_util.tree_unflatten(structure, kept)


def _leaves(tree: Any) -> list[Any]:
    return [leaf for leaf in jax.tree_util.tree_leaves(tree) if isinstance(leaf, jax.Array)]


def first_plus_one(tree: Any) -> jax.Array:
    """Use one leaf, so that the program is as small as can be."""
    return _leaves(tree)[0] + 1


def doubled(tree: Any) -> Any:
    """Use every leaf and give a tree like the one that is given."""
    return jax.tree_util.tree_map(
        lambda leaf: leaf * 2 if isinstance(leaf, jax.Array) else leaf, tree
    )


def total(tree: Any) -> jax.Array:
    """Add the squares of the leaves."""
    # One by one: XLA compiles a stack of a thousand scalars ten times as long.
    squares = (leaf * leaf for leaf in _leaves(tree))
    return functools.reduce(operator.add, (one.sum() if one.shape else one for one in squares))


def blocking(call: Any, *arguments: Any) -> Call:
    """Wait for what a call gives."""
    return lambda: jax.block_until_ready(call(*arguments))


def compiled(call: Any, *arguments: Any) -> Call:
    """Return a call whose program is compiled."""
    jax.block_until_ready(call(*arguments))
    return functools.partial(call, *arguments)
