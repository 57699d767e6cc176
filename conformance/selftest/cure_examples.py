"""Nodes with one cause of failures each, and the same nodes with the cure applied."""

from __future__ import annotations

import collections
import dataclasses
import functools
import inspect
import itertools
import threading
import types
from typing import Any

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

_COUNT = itertools.count()
node = jtu.register_pytree_node_class


def relu(x: Any) -> Any:
    return x


class Sound:
    """The methods that most of the classes here share; each overrides the one at fault."""

    def __init__(self, x: Any):
        self.x = x

    def tree_flatten(self) -> Any:
        return (self.x,), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        made = object.__new__(cls)
        (made.x,) = children
        return made


@node
class Converts(Sound):
    def __init__(self, x: Any):
        self.x = jnp.asarray(x, "float32") if isinstance(x, (int, float)) else str(x)

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        return cls(*children)


@node
class ConvertsOnce(Sound):
    def __init__(self, x: Any):
        self.x = jnp.asarray(x, "float32") if isinstance(x, (int, float)) else str(x)


class Checking(Sound):
    def __init__(self, x: Any):
        if x is None:
            raise ValueError("x is missing")
        self.x = x


@node
class Checks(Checking):
    def __init__(self, x: jax.Array):
        super().__init__(x)

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        return cls(*children)


@node
class ChecksOnce(Checking):
    def __init__(self, x: jax.Array):
        super().__init__(x)


@jtu.register_dataclass
@dataclasses.dataclass
class Post:
    x: float

    def __post_init__(self) -> None:
        self.x = float(self.x)


@jtu.register_dataclass
@dataclasses.dataclass
class PostByHand:
    x: float

    @classmethod
    def make(cls, x: Any) -> Any:
        return cls(float(x))


@node
class Rebuilds(Sound):
    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        made = object.__new__(cls)
        made.x = [children[0]]
        return made


class WithAux(Sound):
    """Keeps `.static` in a tuple in the aux data."""

    static: Any = ()

    def tree_flatten(self) -> Any:
        return (self.x,), (self.static,)

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        made = object.__new__(cls)
        (made.x,), (made.static,) = children, aux
        return made


@node
class ListAux(WithAux):
    def __init__(self, x: Any):
        self.x, self.static = x, ["a", "b"]


@node
class DictAux(WithAux):
    def __init__(self, x: Any):
        self.x, self.static = x, {"a": 1}


@node
class MappingAux(WithAux):
    def __init__(self, x: Any):
        self.x, self.static = x, types.MappingProxyType({"a": 1})


@node
class DequeAux(WithAux):
    def __init__(self, x: Any):
        self.x, self.static = x, collections.deque(["a", "b"])


@node
class TupleAux(WithAux):
    def __init__(self, x: Any):
        self.x, self.static = x, ("a", "b")


@node
class ArrayAux(WithAux):
    def __init__(self, x: Any):
        self.x, self.static = x, np.ones(2)


@node
class ArrayChild(WithAux):
    def __init__(self, x: Any):
        self.x, self.static = x, np.ones(2)

    def tree_flatten(self) -> Any:
        return (self.x, self.static), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        made = object.__new__(cls)
        made.x, made.static = children
        return made


@node
class LambdaAux(WithAux):
    def __init__(self, x: Any):
        self.x, self.static = x, lambda y: y


@node
class FunctionAux(WithAux):
    def __init__(self, x: Any):
        self.x, self.static = x, relu


@node
class PartialAux(WithAux):
    def __init__(self, x: Any):
        self.x, self.static = x, functools.partial(max, 1)


@node
class PartsAux(WithAux):
    def __init__(self, x: Any):
        self.x, self.static = x, (max, 1)


class Config:
    def __init__(self, size: int):
        self.size = size

    def call(self) -> int:
        return self.size


@dataclasses.dataclass(frozen=True)
class EqualConfig:
    size: int

    def call(self) -> int:
        return self.size


@node
class ObjectAux(WithAux):
    def __init__(self, x: Any):
        self.x, self.static = x, Config(3)


_DEFAULT = Config(3)


@node
class SharedAux(WithAux):
    def __init__(self, x: Any):
        self.x, self.static = x, _DEFAULT


@node
class EqualAux(WithAux):
    def __init__(self, x: Any):
        self.x, self.static = x, EqualConfig(3)


@node
class MethodAux(WithAux):
    def __init__(self, x: Any):
        self.x, self.static = x, Config(3).call


@node
class CounterAux(WithAux):
    def __init__(self, x: Any):
        self.x, self.static = x, next(_COUNT)


@node
class ShapeAux(Sound):
    def tree_flatten(self) -> Any:
        return (self.x,), (getattr(self.x, "shape", None),)


@node
class Copies(Sound):
    def tree_flatten(self) -> Any:
        return (np.array(self.x, object),), None


@node
class Drains(Sound):
    def __init__(self, x: Any):
        self.x = x
        self.items = iter((x,))

    def tree_flatten(self) -> Any:
        return tuple(self.items), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        made = object.__new__(cls)
        made.items = iter(children)
        made.x = next(iter(children), None)
        return made


@node
class Lists(Sound):
    def __init__(self, x: Any):
        self.x = x
        self.items = [x]

    def tree_flatten(self) -> Any:
        return tuple(self.items), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        made = object.__new__(cls)
        made.items = list(children)
        (made.x,) = children
        return made


@node
class Counts(Sound):
    calls = 0

    def tree_flatten(self) -> Any:
        self.calls += 1
        return (self.x,), None


class Two:
    def __init__(self, x: Any, y: Any):
        self.x, self.y = x, y

    def tree_flatten(self) -> Any:
        return (self.x, self.y), None

    def tree_flatten_with_keys(self) -> Any:
        return ((jtu.GetAttrKey("x"), self.x), (jtu.GetAttrKey("y"), self.y)), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        made = object.__new__(cls)
        made.x, made.y = children
        return made


keyed = jtu.register_pytree_with_keys_class


@keyed
class Swaps(Two):
    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        made = object.__new__(cls)
        made.y, made.x = children
        return made


SoundTwo = keyed(type("SoundTwo", (Two,), {"__module__": __name__}))


@keyed
class Reversed(Two):
    def tree_flatten_with_keys(self) -> Any:
        return ((jtu.GetAttrKey("y"), self.y), (jtu.GetAttrKey("x"), self.x)), None


@keyed
class Misnamed(Two):
    def tree_flatten_with_keys(self) -> Any:
        return ((jtu.GetAttrKey("y"), self.x), (jtu.GetAttrKey("x"), self.y)), None


@node
class Forgets(Sound):
    def __init__(self, x: Any):
        self.x, self.static = x, "a"


@node
class Remembers(WithAux):
    def __init__(self, x: Any):
        self.x, self.static = x, "a"


@node
class Resets(Sound):
    def __init__(self, x: Any, size: int):
        self.x, self.size = x, size

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        made = object.__new__(cls)
        (made.x,), made.size = children, 0
        return made


@node
class Keeps(Sound):
    def __init__(self, x: Any, size: int):
        self.x, self.size = x, size

    def tree_flatten(self) -> Any:
        return (self.x,), (self.size,)

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        made = object.__new__(cls)
        (made.x,), (made.size,) = children, aux
        return made


@node
class Delegates(Sound):
    def __getattr__(self, name: str) -> Any:
        return getattr(self.x, name)


@node
class DelegatesPublic(Sound):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(object.__getattribute__(self, "x"), name)


class Slots:
    __slots__ = ("x",)
    x: Any

    def __init__(self, x: Any):
        object.__setattr__(self, "x", x)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name} cannot be set")

    def tree_flatten(self) -> Any:
        return (self.x,), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        made = object.__new__(cls)
        object.__setattr__(made, "x", children[0])
        return made


@node
class Immutable(Slots):
    __slots__ = ()


@node
class FrozenState(Slots):
    __slots__ = ()

    def __setstate__(self, state: Any) -> None:
        object.__setattr__(self, "x", state[1]["x"])


@node
class NewTakes(Sound):
    def __new__(cls, x: Any) -> Any:
        return object.__new__(cls)


@node
class NewGives(Sound):
    def __new__(cls, x: Any) -> Any:
        return object.__new__(cls)

    def __getnewargs__(self) -> Any:
        return (self.x,)


class Locking(Sound):
    def __init__(self, x: Any):
        self.x, self.lock = x, threading.Lock()

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        made = object.__new__(cls)
        (made.x,), made.lock = children, threading.Lock()
        return made


@node
class Locked(Locking):
    pass


@node
class Relocked(Locking):
    def __getstate__(self) -> Any:
        return {"x": self.x}

    def __setstate__(self, state: Any) -> None:
        self.x, self.lock = state["x"], threading.Lock()


node(Sound)


@node
class Signing:
    """Calls functions of Python, makes a copy, and has a method that no law calls."""

    def __init__(self, x: Any):
        self.signature = inspect.Signature()
        self.x = jnp.array(x)

    def unused(self) -> Any:
        return self.x

    def tree_flatten(self) -> Any:
        return (self.x,), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        return cls(*children)


def make_signing() -> Signing:
    return Signing([1.0, 2.0])


@dataclasses.dataclass
class AsDict:
    """Its flatten makes deep copies, as `dataclasses.asdict` does."""

    function: Any
    weight: Any


jtu.register_pytree_node(
    AsDict,
    lambda one: jtu.tree_flatten(dataclasses.asdict(one)),
    lambda treedef, leaves: AsDict(**treedef.unflatten(leaves)),
)


def make_as_dict() -> AsDict:
    return AsDict(relu, jnp.ones(2))
