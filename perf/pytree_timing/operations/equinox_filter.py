"""Equinox: filtering, and replacing leaves."""

from __future__ import annotations

import functools
from typing import Any

import equinox as eqx
import jax

from pytree_timing.operation import Call, Given, Topic

_KINDS = ("tuple", "dict", "node", "module", "mixed")
_FEW = (10, 100, 1_000)
filtering = Topic("filter", floor="tree.flatten")
spec = Topic("spec", floor="tree.flatten")
replacing = Topic("tree_at", floor="tree.flatten")


@filtering(*_KINDS)
def filter(given: Given) -> Call:
    """eqx.filter by eqx.is_array."""
    return functools.partial(eqx.filter, given.tree, eqx.is_array)


@filtering(*_KINDS)
def partition(given: Given) -> Call:
    """eqx.partition by eqx.is_array."""
    return functools.partial(eqx.partition, given.tree, eqx.is_array)


@filtering(*_KINDS)
def combine(given: Given) -> Call:
    """eqx.combine of what eqx.partition gives."""
    return functools.partial(eqx.combine, *eqx.partition(given.tree, eqx.is_array))


@spec("node", "module", "mixed", sizes=_FEW)
def by_type(given: Given) -> Call:
    """eqx.partition by the type of each leaf."""
    return functools.partial(eqx.partition, given.tree, eqx.is_array)


@spec("node", "module", "mixed", sizes=_FEW)
def by_path(given: Given) -> Call:
    """eqx.partition by a tree of bools that is made of the paths in each call."""
    return lambda: eqx.partition(given.tree, _weights(given.tree))


@spec("node", "module", "mixed", sizes=_FEW)
def by_identity(given: Given) -> Call:
    """eqx.partition by a tree of bools that is made of the ids of leaves in each call."""
    chosen = {id(leaf) for leaf in given.leaves[::2]}

    def call() -> Any:
        tree = given.tree
        return eqx.partition(tree, jax.tree_util.tree_map(lambda leaf: id(leaf) in chosen, tree))

    return call


@spec("node", "module", "mixed", sizes=_FEW)
def made_once(given: Given) -> Call:
    """eqx.partition by a tree of bools that is made before."""
    return functools.partial(eqx.partition, given.tree, _weights(given.tree))


def _weights(tree: Any) -> Any:
    return jax.tree_util.tree_map_with_path(lambda path, leaf: len(path) and _even(path[-1]), tree)


def _even(key: Any) -> bool:
    # Nodes without keys number their children.
    return getattr(key, "name", None) == "w" or getattr(key, "key", None) == 0


@replacing("dict", "node", "module", sizes=_FEW)
def one_leaf(given: Given) -> Call:
    """eqx.tree_at of one leaf."""
    place = _places(given.tree, 1)
    return functools.partial(eqx.tree_at, place, given.tree, [given.leaves[-1]])


@replacing("dict", "node", "module", sizes=_FEW)
def ten_leaves(given: Given) -> Call:
    """eqx.tree_at of ten leaves."""
    place = _places(given.tree, 10)
    return functools.partial(eqx.tree_at, place, given.tree, given.leaves[-10:])


def _places(tree: Any, count: int) -> Any:
    """Make a function that gives the first leaves of a tree by walking down to them."""
    depth = 0
    while _child(tree, "c0") is not None:
        tree, depth = _child(tree, "c0"), depth + 1

    def where(tree: Any) -> list[Any]:
        for _ in range(depth):
            tree = _child(tree, "c0")
        found = [_child(_child(tree, layer), leaf) for layer in "abcde" for leaf in "wb"]
        return found[:count]

    return where


def _child(node: Any, name: str) -> Any:
    return node.get(name) if isinstance(node, dict) else getattr(node, name, None)
