"""Trees of one shape made of every kind of node, with fixed leaves.

A layer has two leaves, a block five layers, a group ten blocks or ten groups: 0.61 nodes a leaf.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Sequence
from types import CodeType
from typing import Any

import jax

SIZES: Sequence[int] = (10, 100, 1_000, 10_000)
_LAYER = ("w", "b")
_BLOCK = tuple("abcde")
_GROUP = tuple(f"c{number}" for number in range(10))
Make = Callable[..., Any]


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of node.

    Args:
        name: what it is called in the names of cases.
        requires: the library whose node it is; empty for JAX alone.
        tree: makes the tree of leaves whose number is one of `SIZES`.
    """

    name: str
    requires: str
    tree: Callable[[Sequence[Any]], Any]


def _nested(classes: Callable[[], tuple[Make, Make, Make]]) -> Callable[[Sequence[Any]], Any]:
    """Make trees of what makes a layer, a block and a group of their children."""

    def tree(leaves: Sequence[Any]) -> Any:
        layer, block, group = classes()
        layers = [layer(*pair) for pair in _parts(leaves, len(_LAYER))]
        level = [block(*part) for part in _parts(layers, len(_BLOCK))]
        while len(level) > 1:
            level = [group(*part) for part in _parts(level, len(_GROUP))]
        return level[0]

    return tree


def _parts(items: Sequence[Any], length: int) -> Iterable[Sequence[Any]]:
    return (items[start : start + length] for start in range(0, len(items), length))


def inner_nodes(leaves: int) -> int:
    """Return how many nodes a tree of so many leaves has, itself one of them."""
    count, level = leaves // len(_LAYER), leaves // len(_LAYER) // len(_BLOCK)
    while level > 1:
        count, level = count + level, level // len(_GROUP)
    return count + 1


def _dicts() -> tuple[Make, Make, Make]:
    layer, block, group = (
        lambda *children, names=names: dict(zip(names, children, strict=True))
        for names in (_LAYER, _BLOCK, _GROUP)
    )
    return layer, block, group


@jax.tree_util.register_pytree_node_class
class _Layer:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def tree_flatten(self):
        return (self.w, self.b), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)


@jax.tree_util.register_pytree_node_class
class _Block:
    def __init__(self, a, b, c, d, e):
        self.a, self.b, self.c, self.d, self.e = a, b, c, d, e

    def tree_flatten(self):
        return (self.a, self.b, self.c, self.d, self.e), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)


@jax.tree_util.register_pytree_node_class
class _Group:
    def __init__(self, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9):
        self.c0, self.c1, self.c2, self.c3, self.c4 = c0, c1, c2, c3, c4
        self.c5, self.c6, self.c7, self.c8, self.c9 = c5, c6, c7, c8, c9

    def tree_flatten(self):
        first = (self.c0, self.c1, self.c2, self.c3, self.c4)
        return (*first, self.c5, self.c6, self.c7, self.c8, self.c9), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)


_BY_HAND = (_Layer, _Block, _Group)
FLATTENS: frozenset[CodeType] = frozenset(kind.tree_flatten.__code__ for kind in _BY_HAND)
UNFLATTENS: frozenset[CodeType] = frozenset(kind.tree_unflatten.__code__ for kind in _BY_HAND)


@functools.cache
def _modules() -> tuple[Make, Make, Make]:
    import equinox as eqx

    kind: Any = type(eqx.Module)

    def module(name: str, names: Sequence[str]) -> Make:
        return kind(name, (eqx.Module,), {"__annotations__": dict.fromkeys(names, Any)})

    return module("Layer", _LAYER), module("Block", _BLOCK), module("Group", _GROUP)


@functools.cache
def _mixed_modules() -> tuple[Make, Make, Make]:
    import equinox as eqx

    class MixedBlock(eqx.Module):
        a: Any
        b: Any
        c: Any
        d: Any
        e: Any
        activation: Callable[..., Any]
        rate: float

    def block(a: Any, b: Any, c: Any, d: Any, e: Any) -> MixedBlock:
        return MixedBlock(a, b, c, d, e, jax.nn.relu, 0.5)

    return _modules()[0], block, _modules()[2]


@functools.cache
def _nnx_modules() -> tuple[Make, Make, Make]:
    from flax import nnx

    kind: Any = type(nnx.Module)

    class Layer(nnx.Module):
        def __init__(self, w, b):
            self.w, self.b = nnx.Param(w), nnx.Param(b)

    def module(class_name: str, names: Sequence[str]) -> Make:
        def __init__(self, *children):
            for name, child in zip(names, children, strict=True):
                setattr(self, name, child)

        return kind(class_name, (nnx.Module,), {"__init__": __init__})

    return Layer, module("Block", _BLOCK), module("Group", _GROUP)


KINDS = {
    kind.name: kind
    for kind in (
        Kind("tuple", "", tuple),
        Kind("dict", "", _nested(_dicts)),
        Kind("node", "", _nested(lambda: _BY_HAND)),
        Kind("module", "equinox", _nested(_modules)),
        Kind("mixed", "equinox", _nested(_mixed_modules)),
        Kind("nnx", "flax", _nested(_nnx_modules)),
    )
}
# What every other kind is compared with.
FLOOR, REFERENCE = "tuple", "node"
# A user's model, and its arrays in a flat tuple; `models.use` adds both to `KINDS`.
MODEL, FLAT = "model", "flat"


def leaves_on(device: Any, count: int) -> list[jax.Array]:
    """Make scalars of type float32 on a device, each of its own value."""
    import numpy as np

    return [jax.device_put(np.float32(number), device) for number in range(count)]
