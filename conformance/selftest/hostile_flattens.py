"""Node classes whose flatten or unflatten raises, gives the wrong thing, or gives too much."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from .hostile_nodes import Node

_register = jax.tree_util.register_pytree_node_class
_MANY_LEAVES, _DEEP, _LONG = 100_000, 2_000, 10_000_000


class _Raises(Node):
    """Its flatten raises an error of its own."""

    error: type[BaseException] = ZeroDivisionError

    def tree_flatten(self) -> Any:
        raise self.error


@_register
class RaisesInFlatten(_Raises):
    pass


@_register
class InterruptsInFlatten(_Raises):
    error = KeyboardInterrupt


@_register
class ExitsInFlatten(_Raises):
    error = SystemExit


@_register
class ExitsGeneratorInFlatten(_Raises):
    error = GeneratorExit


@_register
class RaisesInUnflatten(Node):
    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        raise ZeroDivisionError


@_register
class InterruptsInUnflatten(Node):
    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        raise KeyboardInterrupt


@_register
class RecursesInFlatten(Node):
    def tree_flatten(self) -> Any:
        return self.tree_flatten()


@_register
class ThreeParts(Node):
    def tree_flatten(self) -> Any:
        return (self.x,), None, None


@_register
class NoParts(Node):
    def tree_flatten(self) -> Any:
        return None


@_register
class Generates(Node):
    def tree_flatten(self) -> Iterator[Any]:
        yield (self.x,)
        yield None


@_register
class GeneratesChildren(Node):
    def tree_flatten(self) -> Any:
        return (one for one in (self.x,)), None


@_register
class IsItsOwnChild(Node):
    def tree_flatten(self) -> Any:
        return (self.x, self), None


class _WithAux(Node):
    """A node with some aux data."""

    aux: Any = None

    def tree_flatten(self) -> Any:
        return (self.x,), self.aux


@_register
class UnhashableAux(_WithAux):
    aux = [1, {}]


@_register
class NanAux(_WithAux):
    aux = math.nan


@_register
class ArrayAux(_WithAux):
    aux = np.arange(3)


@_register
class HugeAux(_WithAux):
    aux = "x" * _LONG


class _NeverEqual:
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return False


@_register
class UnequalAux(_WithAux):
    aux = _NeverEqual()


@_register
class ManyLeaves(Node):
    def tree_flatten(self) -> Any:
        return (self.x, *[0.0] * _MANY_LEAVES), None


@_register
class Deep(Node):
    """Its child is a list in a list, and so on."""

    def tree_flatten(self) -> Any:
        inner = self.x
        for _ in range(_DEEP):
            inner = [inner]
        return (inner,), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        (inner,) = children
        for _ in range(_DEEP):
            inner = inner[0]
        return cls(inner)


@_register
class EqualToEverything(Node):
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return True


@_register
class HashesAnew(Node):
    """Its hash differs each time, and it is its own aux data."""

    count = 0

    def tree_flatten(self) -> Any:
        return (self.x,), self

    def __hash__(self) -> int:
        HashesAnew.count += 1
        return HashesAnew.count


@_register
class ReprIsNoText(Node):
    def __repr__(self) -> Any:
        return 3


@_register
class BoolIsNoBool(Node):
    def __bool__(self) -> Any:
        return "yes"
