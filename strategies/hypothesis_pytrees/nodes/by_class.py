"""Nodes registered by `jax.tree_util.register_pytree_node_class`."""

from __future__ import annotations

from hypothesis_pytrees.core.kinds import Kind

from .node_kinds import node_kind

_CLASS_BOX = """\
@jtu.register_pytree_node_class
class ClassBox:
    def __init__(self, x):
        self.x = x

    def tree_flatten(self):
        return (self.x,), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        node = object.__new__(cls)
        (node.x,) = children
        return node
"""
_CLASS_DERIVED = """\
@jtu.register_pytree_node_class
class ClassDerived(ClassBox):
    def __init__(self, x, y):
        super().__init__(x)
        self.y = y

    def tree_flatten(self):
        children, aux = super().tree_flatten()
        return (self.y, *children), aux

    @classmethod
    def tree_unflatten(cls, aux, children):
        y, *rest = children
        node = super().tree_unflatten(aux, rest)
        node.y = y
        return node
"""
_CLASS_FROZEN = """\
class ClassMode(enum.Enum):
    FAST = 1
    SLOW = 2


@jtu.register_pytree_node_class
@dataclasses.dataclass(frozen=True)
class ClassFrozen:
    x: typing.Any
    mode: ClassMode = ClassMode.FAST

    def tree_flatten(self):
        return (self.x,), self.mode

    @classmethod
    def tree_unflatten(cls, mode, children):
        return cls(*children, mode)
"""
_CLASS_NESTED = """\
@jtu.register_pytree_node_class
class ClassNested:
    def __init__(self, weight):
        self.parts, self.bias = {'weight': weight, 'scale': None}, None

    def tree_flatten(self):
        # A fresh dict on each call; after an unflatten, whatever stands in its place.
        parts = dict(self.parts) if type(self.parts) is dict else self.parts
        return (parts, self.bias), ('nested', 1)

    @classmethod
    def tree_unflatten(cls, aux, children):
        node = object.__new__(cls)
        node.parts, node.bias = children
        return node
"""
_CLASS_VARIADIC = """\
ClassItem = typing.TypeVar('ClassItem')


@jtu.register_pytree_node_class
class ClassVariadic(typing.Generic[ClassItem]):
    def __init__(self, *items: ClassItem):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __iter__(self):
        return iter(self.items)

    def tree_flatten(self):
        return self.items, len(self.items)

    @classmethod
    def tree_unflatten(cls, length, children):
        return cls(*children)
"""

# Simplest first within each registration: draws shrink towards the front.
BY_CLASS: tuple[Kind, ...] = tuple(
    node_kind("register_pytree_node_class", template, *definitions, tags=tags)
    for template, definitions, tags in (
        ("ClassBox($0)", (_CLASS_BOX,), "aux-None"),
        ("ClassFrozen($0)", (_CLASS_FROZEN,), "aux-enum frozen"),
        ("ClassDerived($0, $1)", (_CLASS_BOX, _CLASS_DERIVED), "derived reordered"),
        ("ClassVariadic($0, $1, $2)", (_CLASS_VARIADIC,), "generic iter len aux-int"),
        ("ClassNested($0)", (_CLASS_NESTED,), "fresh-container None-child aux-tuple"),
    )
)
