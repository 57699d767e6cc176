"""Node classes with a trait that classes of published libraries have; the sound ones come first."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import threading
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


class _Node:
    """Children and static fields by name; unflatten runs no constructor."""

    children: tuple[str, ...] = ("x",)
    static: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        jax.tree_util.register_pytree_with_keys_class(cls)

    def tree_flatten(self) -> Any:
        pairs, static = self.tree_flatten_with_keys()
        return [child for _, child in pairs], static

    def tree_flatten_with_keys(self) -> Any:
        keys = [(jax.tree_util.GetAttrKey(name), getattr(self, name)) for name in self.children]
        return keys, tuple(getattr(self, name) for name in self.static)

    @classmethod
    def tree_unflatten(cls, static: Any, children: Any) -> Any:
        made = object.__new__(cls)
        vars(made).update(zip((*cls.children, *cls.static), (*children, *static), strict=True))
        return made


class Checked(_Node):
    """Sound: whatever has a shape must be a matrix, in unflatten too; other objects may come."""

    def __init__(self, x: Any) -> None:
        self.x = x
        self._check()

    def _check(self) -> None:
        if hasattr(self.x, "shape") and len(self.x.shape) != 2:
            raise ValueError(f"{self.x.shape} is not the shape of a matrix")

    @classmethod
    def tree_unflatten(cls, static: Any, children: Any) -> Any:
        made = super().tree_unflatten(static, children)
        made._check()
        return made


class Channels(Checked):
    """Sound: the last axis of an array has a fixed size, in unflatten too."""

    def _check(self) -> None:
        if hasattr(self.x, "shape") and self.x.shape[-1:] != (4,):
            raise ValueError(f"{self.x.shape} has no last axis of size 4")


class Sorted(_Node):
    """Sound: unflatten wants the dtype kind of each array that it gets."""

    children = ("index", "key", "mask", "x")
    kinds = (jnp.integer, jax.dtypes.prng_key, jnp.bool_, jnp.floating)

    def __init__(self, *given: Any) -> None:
        vars(self).update(zip(self.children, given, strict=True))
        self._check()

    def _check(self) -> None:
        for name, kind in zip(self.children, self.kinds, strict=True):
            held = getattr(self, name)
            if isinstance(held, jax.Array) and not jnp.issubdtype(held.dtype, kind):
                raise TypeError(f"{name} is of dtype {held.dtype}")

    @classmethod
    def tree_unflatten(cls, static: Any, children: Any) -> Any:
        made = super().tree_unflatten(static, children)
        made._check()
        return made


class Sized(_Node):
    """Sound: the constructor wants one shape, which it notes; unflatten takes any."""

    static = ("shape",)

    def __init__(self, shape: tuple[int, ...], x: Any) -> None:
        if x.shape != shape:
            raise ValueError(f"{x.shape} is not {shape}")
        self.shape, self.x = shape, x


class Layer(_Node):
    """Sound: holds a function as static value."""

    static = ("function",)

    def __init__(self, function: Any, x: Any) -> None:
        self.function, self.x = function, x


class Activation(_Node):
    """Sound: holds a function as leaf."""

    children = ("x", "function")

    def __init__(self, x: Any, function: Any) -> None:
        self.x, self.function = x, function


class Tied(_Node):
    """Sound: holds one array twice."""

    children = ("x", "y")

    def __init__(self, x: Any) -> None:
        self.x = self.y = x


class Derived(_Node):
    """Sound: its constructor, which unflatten runs, computes an attribute from a leaf."""

    def __init__(self, x: Any) -> None:
        self.x, self.size = x, getattr(x, "size", None)

    @classmethod
    def tree_unflatten(cls, static: Any, children: Any) -> Any:
        return cls(*children)


class _Labels:
    """Aux data that compares an array by its values."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Labels) and self.array.tolist() == other.array.tolist()

    def __hash__(self) -> int:
        return hash(tuple(self.array.tolist()))


class Labelled(_Node):
    """Sound: a static attribute is an array, whose values the aux data compares."""

    def __init__(self, x: Any, labels: np.ndarray) -> None:
        self.x, self.labels = x, labels

    def tree_flatten_with_keys(self) -> Any:
        return [(jax.tree_util.GetAttrKey("x"), self.x)], _Labels(self.labels)

    @classmethod
    def tree_unflatten(cls, static: Any, children: Any) -> Any:
        made = object.__new__(cls)
        made.x, made.labels = *children, static.array
        return made


class Padded(_Node):
    """Sound: unflatten gives no name to a new leading axis, so that the treedef is another one."""

    static = ("names",)

    def __init__(self, x: Any, *names: str) -> None:
        self.x, self.names = x, names

    @classmethod
    def tree_unflatten(cls, static: Any, children: Any) -> Any:
        made = super().tree_unflatten(static, children)
        new = getattr(made.x, "ndim", len(made.names)) - len(made.names)
        made.names = (*[None] * new, *made.names)
        return made


@dataclasses.dataclass(frozen=True, eq=False)
class Axis:
    """Compares by identity, as it says."""

    size: int


class Shaped:
    """A leaf whose shape is a method."""

    def shape(self) -> Any:
        return ()


class NoNumbers(_Node):
    """Sound: unflatten takes no numbers of Python in the place of an array."""

    def __init__(self, x: Any) -> None:
        self.x = x

    @classmethod
    def tree_unflatten(cls, static: Any, children: Any) -> Any:
        made = super().tree_unflatten(static, children)
        if isinstance(made.x, (int, float)):
            raise AssertionError(f"{made.x} is not an array")
        return made


class _PassesOn(type):
    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return super().__call__(*args, **kwargs)


class Behind(_Node, metaclass=_PassesOn):
    """Sound: the signature of its metaclass says nothing about its constructor."""

    static = ("size",)

    def __init__(self, x: Any, size: int = 1) -> None:
        self.x, self.size = x, size


class Measuring(_Node):
    """Broken: the constructor, which unflatten runs, takes only what has a shape."""

    static = ("tag",)

    def __init__(self, x: Any, tag: str = "tag") -> None:
        self.x, self.rank, self.tag = x, len(x.shape), tag

    @classmethod
    def tree_unflatten(cls, static: Any, children: Any) -> Any:
        return cls(*children, *static)


class Converted(_Node):
    """Broken: unflatten converts all but the placeholders that JAX documents; JAX uses others."""

    def __init__(self, x: Any) -> None:
        keep = type(x) is object or x is None or isinstance(x, Converted)
        self.x = x if keep else jnp.asarray(x)

    @classmethod
    def tree_unflatten(cls, static: Any, children: Any) -> Any:
        return cls(*children)


class Forgetting(_Node):
    """Broken: unflatten gives a static value its default."""

    static = ("tag",)

    def __init__(self, x: Any, tag: str = "default") -> None:
        self.x, self.tag = x, tag

    @classmethod
    def tree_unflatten(cls, static: Any, children: Any) -> Any:
        return cls(*children)


class Counted(_Node):
    """Broken: static values count the instances that the constructor made."""

    static = ("number",)
    numbers = itertools.count()

    def __init__(self, x: Any) -> None:
        self.x, self.number = x, next(Counted.numbers)


class Unhashable(_Node):
    """Broken: a static value is a list."""

    static = ("sizes",)

    def __init__(self, x: Any, sizes: list[int]) -> None:
        self.x, self.sizes = x, sizes


class Unsaved(_Node):
    """Broken: pickle cannot save it, although it can save all that it holds."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __reduce__(self) -> Any:
        return Unsaved, ()


def _floats(*shape: int) -> jax.Array:
    return jax.device_put(np.linspace(0.5, 1.5, math.prod(shape), dtype=np.float32).reshape(shape))


def make_sorted() -> Sorted:
    index = jax.device_put(np.array([0, 2], np.int32))
    mask = jax.device_put(np.array([True, False]))
    return Sorted(index, jax.random.key(0), mask, _floats(2))


def made_with_lambda() -> Layer:
    return Layer(lambda x: x, _floats(2))


def make_nested_partial() -> Any:
    inner = jax.tree_util.Partial(math.hypot, 1.0)
    return Activation(_floats(2), jax.tree_util.Partial(inner, _floats(2)))


_SHARED = _floats(3)
_LOCK = threading.Lock()


def _local() -> Any:
    class Local(Tied):
        """Sound: pickle does not find it by its name."""

    return Local


LocalTied = _local()
_AXIS = Axis(2)
SOUND: dict[str, Any] = {
    "local class": lambda: LocalTied(_floats(2)),
    "checks shapes": lambda: Checked(_floats(2, 3)),
    "checks its last axis": lambda: Channels(_floats(2, 4)),
    "wants dtypes": make_sorted,
    "sized (2,)": lambda: Sized((2,), _floats(2)),
    "sized (2, 3)": lambda: Sized((2, 3), _floats(2, 3)),
    "sized (3, 4)": lambda: Sized((3, 4), _floats(3, 4)),
    "compiled function": lambda: Layer(jax.nn.relu, _floats(2)),
    "lambda": made_with_lambda,
    "module-level function": lambda: Layer(math.sin, _floats(2)),
    "leaf with a method called shape": lambda: Activation(_floats(2), Shaped()),
    "dataclass with eq=False": lambda: Layer((_AXIS,), _floats(2)),
    "NumPy scalar": lambda: Layer(np.int64(6), _floats(2)),
    "lock": lambda: Layer(_LOCK, _floats(2)),
    "functools.partial": lambda: Layer(functools.partial(math.hypot, 1.0), _floats(2)),
    "bound method": lambda: Layer(_SHARED.sum, _floats(2)),
    "function as leaf": lambda: Activation(_floats(2), jax.nn.relu),
    "lambda as leaf": lambda: Activation(_floats(2), lambda x: x),
    "nested partial": make_nested_partial,
    "one array twice": lambda: Tied(_floats(2)),
    "a shared array": lambda: Tied(_SHARED),
    "labels in an array": lambda: Labelled(_floats(2), np.arange(2.0)),
    "names for its axes": lambda: Padded(_floats(2, 3), "x", "y"),
    "derived attribute": lambda: Derived(_floats(2)),
}
# Each broken class, with the laws that name its defect.
BROKEN: dict[str, tuple[Any, set[str]]] = {
    "measures": (
        lambda: Measuring(_floats(2)),
        {"node.flatten.unflatten_accepts_documented_placeholders"},
    ),
    "documented pattern": (
        lambda: Converted(_floats(2)),
        {"node.flatten.unflatten_accepts_any_leaf"},
    ),
    "counts": (lambda: Counted(_floats(2)), {"node.aux.equal_builds_have_equal_treedefs"}),
    "unhashable": (lambda: Unhashable(_floats(2), [1]), {"node.aux.aux_data_is_hashable"}),
    "unsaved": (
        lambda: Unsaved(_floats(2)),
        {
            "node.copies.copy_keeps_structure_and_leaves",
            "node.copies.deepcopy_equals_the_original",
            "node.copies.pickle_equals_the_original",
        },
    ),
    "forgets": (
        lambda: Forgetting(_floats(2), "mine"),
        {"node.flatten.unflatten_undoes_flatten"},
    ),
}


@jax.tree_util.register_pytree_node_class
class Settings(Mapping):
    """A mapping, which `flax.traverse_util` and pure dicts of NNX take for a nested dict."""

    def __init__(self, rate, momentum):
        self.rate, self.momentum = rate, momentum

    def __getitem__(self, name):
        return vars(self)[name]

    def __iter__(self):
        return iter(vars(self))

    def __len__(self):
        return len(vars(self))

    def tree_flatten(self):
        return (self.rate, self.momentum), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)
