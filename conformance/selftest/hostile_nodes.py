"""Node classes that do not end, raise everywhere, or lie about themselves."""

from __future__ import annotations

import contextlib
import itertools
import random
import time
from collections.abc import Iterator
from typing import Any

import jax

_register = jax.tree_util.register_pytree_node_class


class Node:
    """A sound node, of which each class below changes one method."""

    def __init__(self, x: Any):
        self.x = x

    def tree_flatten(self) -> Any:
        return (self.x,), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        made = object.__new__(cls)
        made.__dict__["x"] = children[0]
        return made


@_register
class EndlessItems(Node):
    """Iteration calls `__getitem__` until an IndexError."""

    def __getitem__(self, index: int) -> int:
        return index


@_register
class EndlessStream(Node):
    def __iter__(self) -> Iterator[int]:
        return itertools.count()


@_register
class HugeLength(Node):
    def __len__(self) -> int:
        return 2**62


@_register
class LoopInProperty(Node):
    @property
    def total(self) -> int:
        while True:
            pass


@_register
class LoopInEq(Node):
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        while True:
            pass


@_register
class LoopInRepr(Node):
    def __repr__(self) -> str:
        while True:
            pass


@_register
class WaitInHash(Node):
    def __hash__(self) -> int:
        time.sleep(1e6)
        return 0


@_register
class LoopInFlatten(Node):
    def tree_flatten(self) -> Any:
        while True:
            with contextlib.suppress(Exception):
                time.sleep(0.01)


@_register
class LoopInUnflatten(Node):
    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        while True:
            pass


@_register
class EndlessList(Node):
    """A list that grows until the memory is used up."""

    @property
    def items(self) -> list[bytes]:
        return [bytes(2**20) for _ in itertools.count()]


@_register
class RecursionInRepr(Node):
    def __repr__(self) -> str:
        return repr(self)


@_register
class RecursionInFlatten(Node):
    def tree_flatten(self) -> Any:
        return (self,), None


@_register
class ErrorInEq(Node):
    """Also its own aux data, so that treedefs cannot be compared."""

    def tree_flatten(self) -> Any:
        return (self.x,), self

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError

    def __hash__(self) -> int:
        raise ZeroDivisionError


@_register
class ErrorInRepr(Node):
    def __repr__(self) -> str:
        raise ZeroDivisionError


@_register
class ErrorInBool(Node):
    def __bool__(self) -> bool:
        raise ZeroDivisionError


@_register
class ErrorInCopies(Node):
    def __reduce_ex__(self, protocol: Any) -> Any:
        raise ZeroDivisionError


class _Wordless(Exception):
    def __str__(self) -> str:
        raise ZeroDivisionError


@_register
class ErrorWithoutText(Node):
    def tree_flatten(self) -> Any:
        raise _Wordless


@_register
class ExitInFlatten(Node):
    def tree_flatten(self) -> Any:
        raise SystemExit(3)


@_register
class AnswersEverything(Node):
    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: 1


@_register
class LiesAboutItsClass(Node):
    @property
    def __class__(self) -> type:  # pyright: ignore
        return dict


@_register
class AttributesRaise(Node):
    def __getattribute__(self, name: str) -> Any:
        if name in ("x", "tree_flatten"):
            return object.__getattribute__(self, name)
        raise ZeroDivisionError(name)


@_register
class DiffersEachTime(Node):
    def tree_flatten(self) -> Any:
        return (self.x,), random.random()


class _Type(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        raise ZeroDivisionError

    def __subclasscheck__(cls, subclass: type) -> bool:
        raise ZeroDivisionError

    def __getattr__(cls, name: str) -> Any:
        raise ZeroDivisionError(name)


@_register
class HostileType(Node, metaclass=_Type):
    pass


@_register
class LoopInConstructor(Node):
    def __init__(self, x: Any):
        while True:
            pass
