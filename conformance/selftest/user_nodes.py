"""Nodes of somebody else's library, sound and broken, for the tests of how they are given."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax


@jax.tree_util.register_pytree_node_class
class TheirCounter:
    """Broken: unflatten runs `__init__`, which writes into its argument."""

    def __init__(self, store: dict):
        store["count"] = store.get("count", 0) + 1
        self.store = store

    def tree_flatten(self) -> Any:
        return (self.store,), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        return cls(*children)


@jax.tree_util.register_pytree_node_class
class TheirStore:
    """The same, mended."""

    def __init__(self, store: dict):
        self.store = dict(store)

    def tree_flatten(self) -> Any:
        return (self.store,), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        made = object.__new__(cls)
        (made.store,) = children
        return made


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class TheirPair:
    """Sound, with hints for everything."""

    left: jax.Array
    right: jax.Array
    name: str = dataclasses.field(default="pair", metadata={"static": True})


@jax.tree_util.register_pytree_node_class
class TheirLayer:
    """Sound: unflatten checks the shapes of arrays, and lets everything else through."""

    def __init__(self, weight: jax.Array, bias: jax.Array):
        self.weight, self.bias = weight, bias
        self._check()

    def _check(self) -> None:
        both = isinstance(self.weight, jax.Array) and isinstance(self.bias, jax.Array)
        if both and self.weight.shape[:-1] != self.bias.shape:
            raise ValueError(f"shapes {self.weight.shape} and {self.bias.shape} do not fit")

    def tree_flatten(self) -> Any:
        return (self.weight, self.bias), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        made = object.__new__(cls)
        made.weight, made.bias = children
        made._check()
        return made


@jax.tree_util.register_pytree_node_class
class TheirMatrix(TheirLayer):
    """Sound, and strict: no array with an axis more."""

    def _check(self) -> None:
        if isinstance(self.weight, jax.Array) and self.weight.ndim != 2:
            raise ValueError(f"{self.weight.shape} is no shape of a matrix")


@jax.tree_util.register_pytree_node_class
class TheirTagged:
    """Some of its arguments go into the aux data; one of them must not be a text."""

    def __init__(self, x: Any, tags: tuple, path: Any, size: Any) -> None:
        if isinstance(size, str):
            raise TypeError("size must not be a text")
        self.x, self.tags, self.path, self.size = x, tags, path, size

    def tree_flatten(self) -> Any:
        return (self.x,), (self.tags, self.path, self.size)

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        made = object.__new__(cls)
        (made.x,), (made.tags, made.path, made.size) = children, aux
        return made


class TheirUnhinted:
    """Says nothing about its argument."""

    def __init__(self, thing):
        self.thing = thing


jax.tree_util.register_pytree_node(
    TheirUnhinted, lambda one: ((one.thing,), None), lambda aux, children: TheirUnhinted(*children)
)


class TheirLeaf:
    """No node: JAX does not know it."""


def make_pair() -> TheirPair:
    return TheirPair(jax.numpy.ones(2), jax.numpy.zeros(2))


def fails() -> None:
    raise ValueError("raised by a function")


def make_sized(size: Any, fill: float = 0.0) -> TheirPair:
    shape = size if isinstance(size, int) else 1
    return TheirPair(jax.numpy.full(shape, fill), jax.numpy.zeros(shape))


def make_layer() -> TheirLayer:
    return TheirLayer(jax.numpy.ones((3, 4)), jax.numpy.zeros(3))


def make_matrix() -> TheirMatrix:
    return TheirMatrix(jax.numpy.ones((3, 4)), jax.numpy.zeros(3))


PAIRS = [make_pair(), TheirPair(jax.numpy.ones(3), jax.numpy.ones(()), "other")]
