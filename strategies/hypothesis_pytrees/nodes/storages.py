"""Traits of registered nodes: where a class keeps its children, and how instances are made."""

from __future__ import annotations

from hypothesis_pytrees.classes.grammar.traits import CLASS
from hypothesis_pytrees.core.releases import TREEDEF_OF_A_TUPLE

from .parts import ROOT, NodeTrait, Part, Storage

_ITEMS = frozenset({"storage", "__getitem__", "__iter__", "__len__"})
# A key tells how a child is reached from its node: `GetAttrKey` by attribute, `SequenceKey` by
# index and `DictKey` by key.
# Source: https://docs.jax.dev/en/latest/101/pytrees.html#explicit-key-paths
_SEQUENCE = frozenset({"GetAttrKey", "DictKey"})
_MAPPING = frozenset({"GetAttrKey", "SequenceKey"})

STORAGES: tuple[NodeTrait, ...] = (
    NodeTrait(
        "list-subclass",
        base="list",
        storage=Storage("list", "{node}[{index}]", "{node}[:] = [{values}]", "SequenceKey"),
        claims=_ITEMS,
        clashes=_SEQUENCE,
    ),
    NodeTrait(
        "dict-subclass",
        base="dict",
        storage=Storage("dict", "{node}['{name}']", "{node}.update({keywords})", "DictKey"),
        claims=_ITEMS,
        clashes=_MAPPING,
    ),
    # Its items are read-only: the writer gives them to `__new__`.
    NodeTrait(
        "namedtuple-subclass",
        storage=Storage("tuple", written="never"),
        claims=_ITEMS,
        clashes=frozenset(
            {"DictKey"} | ({"aux-treedef"} if TREEDEF_OF_A_TUPLE.lacking() else set())
        ),
    ),
    NodeTrait(
        "tuple-attribute",
        storage=Storage(
            read="{node}.items[{index}]",
            written="{node}.items = tuple([{values}])",
            key="SequenceKey",
        ),
        claims=frozenset({"storage"}),
        clashes=_SEQUENCE,
    ),
    NodeTrait(
        "mapping",
        """\
def __getitem__(self, key):
    return self.items[key]

def __iter__(self):
    return iter(self.items)

def __len__(self):
    return len(self.items)

def keys(self):
    return self.items.keys()
""",
        storage=Storage(
            read="{node}.items['{name}']",
            written="{node}.items = dict({keywords})",
            key="DictKey",
        ),
        claims=_ITEMS,
        clashes=_MAPPING,
    ),
    NodeTrait("dataclass", claims=frozenset({"storage"})),
    NodeTrait("frozen dataclass", claims=frozenset({"storage"})),
    NodeTrait("slots"),
)
# Unflatten runs the constructor unless it does more than to store its arguments. Source:
# https://docs.jax.dev/en/latest/101/pytrees.html#initialization-with-unexpected-values
CONSTRUCTION: tuple[NodeTrait, ...] = (
    NodeTrait("object-new", claims=frozenset({"unflatten"})),
    NodeTrait(
        "init-effect",
        "created: typing.ClassVar[int] = 0",
        setup=f"{CLASS}.created += 1",
        claims=frozenset({"unflatten"}),
    ),
    # A named tuple is copied through `__new__`, which would convert again.
    # Source: https://docs.python.org/3/library/pickle.html#object.__getnewargs__
    NodeTrait(
        "init-converts",
        parts=(Part("boxed", stored="({},)"),),
        claims=frozenset({"unflatten"}),
        clashes=frozenset({"no-children", "namedtuple-subclass"}),
    ),
    NodeTrait(
        "own-new",
        f"""\
def __new__(cls, *arguments, **values):
    return {ROOT}.__new__(cls)
""",
        clashes=frozenset({"namedtuple-subclass"}),
    ),
)
