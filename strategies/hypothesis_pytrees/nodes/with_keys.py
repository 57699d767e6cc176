"""Nodes registered with their keys: `register_pytree_with_keys` and its class decorator."""

from __future__ import annotations

from hypothesis_pytrees.core.kinds import Kind

from .node_kinds import node_kind

_KEYED = """\
class Keyed:
    def __init__(self, x, y, tag='keyed'):
        self.x, self.y, self.tag = x, y, tag


jtu.register_pytree_with_keys(
    Keyed,
    lambda node: (((jtu.GetAttrKey('x'), node.x), (jtu.GetAttrKey('y'), node.y)), node.tag),
    lambda tag, children: Keyed(*children, tag),
)
"""
_KEYED_LEDGER = """\
KEYED_CALLS = {}


class KeyedLedger:
    def __init__(self, x, y):
        KEYED_CALLS['init'] = KEYED_CALLS.get('init', 0) + 1
        self.x, self.y = x, y


def rebuild_ledger(_, children):
    node = object.__new__(KeyedLedger)
    node.x, node.y = children
    return node


jtu.register_pytree_with_keys(
    KeyedLedger,
    lambda node: (((jtu.GetAttrKey('x'), node.x), (jtu.GetAttrKey('y'), node.y)), None),
    rebuild_ledger,
    lambda node: ((node.x, node.y), None),
)
"""
_KEYED_SEQUENCE = """\
class KeyedSequence:
    __slots__ = ('items',)

    def __init__(self, *items):
        self.items = items


jtu.register_pytree_with_keys(
    KeyedSequence,
    lambda node: ([(jtu.SequenceKey(i), item) for i, item in enumerate(node.items)], None),
    lambda _, children: KeyedSequence(*children),
)
"""
_KEYED_MAPPING = """\
class KeyedMapping:
    def __init__(self, items):
        self.items = dict(items)

    def __getitem__(self, key):
        return self.items[key]

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)

    def keys(self):
        return self.items.keys()


def flatten_mapping(node):
    keys = tuple(sorted(node))
    return [(jtu.DictKey(key), node[key]) for key in keys], keys


jtu.register_pytree_with_keys(
    KeyedMapping,
    flatten_mapping,
    lambda keys, children: KeyedMapping(zip(keys, children)),
)
"""
_KEYED_INDEX = """\
class KeyedIndex:
    def __init__(self, left, right):
        self.left, self.right = left, right


jtu.register_pytree_with_keys(
    KeyedIndex,
    lambda node: (
        ((jtu.FlattenedIndexKey(0), node.right), (jtu.FlattenedIndexKey(1), node.left)),
        None,
    ),
    lambda _, children: KeyedIndex(*reversed(tuple(children))),
)
"""
_KEYED_STREAM = """\
class KeyedStream:
    def __init__(self, *items):
        self.items = items


jtu.register_pytree_with_keys(
    KeyedStream,
    lambda node: (((jtu.SequenceKey(i), item) for i, item in enumerate(node.items)), None),
    lambda _, children: KeyedStream(*children),
    lambda node: (iter(node.items), None),
)
"""
_KEYED_EDGES = """\
@dataclasses.dataclass(frozen=True)
class KeyedEdge:
    name: str

    def __str__(self):
        return f'->{self.name}'


class KeyedEdges:
    def __init__(self, source, target):
        self.source, self.target = source, target


jtu.register_pytree_with_keys(
    KeyedEdges,
    lambda node: (
        ((KeyedEdge('source'), node.source), (KeyedEdge('target'), node.target)),
        None,
    ),
    lambda _, children: KeyedEdges(*children),
)
"""

_KEYED_CLASS = """\
@jtu.register_pytree_with_keys_class
class KeyedClass:
    def __init__(self, x):
        self.x = x

    def tree_flatten_with_keys(self):
        return ((jtu.GetAttrKey('x'), self.x),), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)
"""
_KEYED_CLASS_DERIVED = """\
@jtu.register_pytree_with_keys_class
class KeyedClassDerived(KeyedClass):
    def __init__(self, x, y):
        super().__init__(x)
        self.y = y

    def tree_flatten_with_keys(self):
        children, aux = super().tree_flatten_with_keys()
        return (*children, (jtu.GetAttrKey('y'), self.y)), aux

    def tree_flatten(self):
        return [self.x, self.y], None
"""

# Simplest first within each registration: draws shrink towards the front.
BY_FUNCTION_WITH_KEYS: tuple[Kind, ...] = tuple(
    node_kind("register_pytree_with_keys", template, *definitions, tags=tags)
    for template, definitions, tags in (
        ("Keyed($0, $1)", (_KEYED,), "GetAttrKey aux-str"),
        ("KeyedLedger($0, $1)", (_KEYED_LEDGER,), "GetAttrKey flatten-func init-effect"),
        ("KeyedSequence($0, $1)", (_KEYED_SEQUENCE,), "SequenceKey list-children slots"),
        ("KeyedMapping({'b': $0, 'a': $1})", (_KEYED_MAPPING,), "DictKey mapping aux-keys"),
        ("KeyedIndex($0, $1)", (_KEYED_INDEX,), "FlattenedIndexKey reordered"),
        (
            "KeyedStream($0, $1)",
            (_KEYED_STREAM,),
            "SequenceKey flatten-func generator-children",
        ),
        ("KeyedEdges($0, $1)", (_KEYED_EDGES,), "custom-key"),
    )
)
BY_CLASS_WITH_KEYS: tuple[Kind, ...] = tuple(
    node_kind("register_pytree_with_keys_class", template, *definitions, tags=tags)
    for template, definitions, tags in (
        ("KeyedClass($0)", (_KEYED_CLASS,), "GetAttrKey"),
        (
            "KeyedClassDerived($0, $1)",
            (_KEYED_CLASS, _KEYED_CLASS_DERIVED),
            "GetAttrKey derived flatten-func",
        ),
    )
)
