"""Traits of registered nodes: methods, properties and further bases.

JAX knows a node by its type alone: "class hierarchy is ignored", and so is what the class defines.
Source: https://docs.jax.dev/en/latest/jax.tree_util.html
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from hypothesis_pytrees.classes.grammar import bases, members
from hypothesis_pytrees.classes.grammar.traits import Trait

from .parts import CHILDREN, NodeTrait

_META = """\
class NodeMeta(type):
    def __call__(cls, *arguments, **values):
        return super().__call__(*arguments, **values)


class NodeWithMeta(metaclass=NodeMeta):
    pass
"""
# A class has one metaclass.
_METACLASS = frozenset({"type"})
_FIELDS = dataclasses.fields(Trait)


def _of_any_class(traits: Iterable[Trait], *names: str) -> Iterator[NodeTrait]:
    """Yield traits of these names that say nothing about children, as traits of nodes."""
    for one in traits:
        if one.name in names:
            yield NodeTrait(**{field.name: getattr(one, field.name) for field in _FIELDS})


MEMBERS: tuple[NodeTrait, ...] = (
    NodeTrait("method", "def read(self, by: int = 0):\n    return by"),
    NodeTrait("call", "def __call__(self, *arguments):\n    return arguments"),
    NodeTrait("property", f"@property\ndef view(self):\n    return {CHILDREN}"),
    # It needs a `__dict__`.
    # Source: https://docs.python.org/3/library/functools.html#functools.cached_property
    NodeTrait(
        "cached-property",
        f"@functools.cached_property\ndef pair(self):\n    return {CHILDREN}",
        clashes=frozenset({"slots"}),
    ),
    # Its name says that it is an array, and its registration that it is a node.
    NodeTrait(
        "array-like",
        """\
@property
def shape(self):
    return (2,)

@property
def dtype(self):
    return np.dtype('float32')
""",
    ),
    NodeTrait(
        "getattr",
        f"""\
def __getattr__(self, name):
    if name == 'other':
        return {CHILDREN}
    raise AttributeError(name)
""",
    ),
    NodeTrait("own-equality", members.OWN_EQUALITY.body, claims=frozenset({"__eq__"})),
    NodeTrait(
        "hostile",
        """\
def refuse(self, *_):
    raise RuntimeError('a tree operation compared, hashed or truth-tested a node')

__eq__ = __ne__ = __hash__ = __bool__ = refuse
""",
        claims=frozenset({"__eq__"}),
    ),
    NodeTrait("falsy len", "def __len__(self):\n    return 0", claims=frozenset({"__len__"})),
    NodeTrait(
        "iter",
        f"def __iter__(self):\n    return iter({CHILDREN})",
        claims=frozenset({"__iter__"}),
    ),
    NodeTrait(
        "indexed",
        f"""\
def __getitem__(self, key):
    return getattr(self, key) if isinstance(key, str) else {CHILDREN}[key]
""",
        claims=frozenset({"__getitem__"}),
    ),
    *_of_any_class(members.MEMBERS, "operators", "own-repr"),
)
BASES: tuple[NodeTrait, ...] = (
    *_of_any_class(bases.BASES, "mixin-first", "mixin-last", "generic"),
    *(
        dataclasses.replace(one, claims=one.claims | _METACLASS)
        for one in _of_any_class(bases.BASES, "abc-first", "abc-last")
    ),
    NodeTrait("metaclass", base="NodeWithMeta", definitions=(_META,), claims=_METACLASS),
)
