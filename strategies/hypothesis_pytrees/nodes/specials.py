"""Registered nodes that the grammar does not write.

Their constructors take any number of children or are inherited from `list` and `dict`, aux data is
computed from the instance, or a subclass calls the flatten function of its base.
"""

from __future__ import annotations

from hypothesis_pytrees.core.kinds import Kind

from .node_kinds import node_kind

_REGISTERED_STACK = """\
class RegisteredStack(list):
    pass


jtu.register_pytree_node(
    RegisteredStack,
    lambda node: (list(node), None),
    lambda _, children: RegisteredStack(children),
)
"""
_REGISTERED_TABLE = """\
class RegisteredTable(dict):
    pass


jtu.register_pytree_node(
    RegisteredTable,
    lambda node: ([node[key] for key in sorted(node)], tuple(sorted(node))),
    lambda keys, children: RegisteredTable(zip(keys, children)),
)
"""
_REGISTERED_POINT = """\
class RegisteredPoint(typing.NamedTuple):
    x: typing.Any
    unit: str = 'm'


jtu.register_pytree_node(
    RegisteredPoint,
    lambda node: ((node.x,), node.unit),
    lambda unit, children: RegisteredPoint(*children, unit),
)
"""
_REGISTERED_STREAM = """\
class RegisteredStream:
    def __init__(self, *items):
        self.items = items


jtu.register_pytree_node(
    RegisteredStream,
    lambda node: ((item for item in node.items), frozenset({'stream'})),
    lambda _, children: RegisteredStream(*children),
)
"""
_REGISTERED_CALLABLE = """\
class RegisteredCallable:
    def __init__(self, function, *arguments):
        self.function, self.arguments = function, arguments

    def __call__(self):
        return self.function(*self.arguments)

    def __iter__(self):
        return iter(self.arguments)


jtu.register_pytree_node(
    RegisteredCallable,
    lambda node: (node.arguments, node.function),
    lambda function, children: RegisteredCallable(function, *children),
)
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

SPECIALS: tuple[Kind, ...] = (
    node_kind(
        "register_pytree_node", "RegisteredStack([$0, $1])", _REGISTERED_STACK, tags="list-subclass"
    ),
    node_kind(
        "register_pytree_node",
        "RegisteredTable({'b': $0, 'a': $1})",
        _REGISTERED_TABLE,
        tags="dict-subclass aux-keys",
    ),
    node_kind(
        "register_pytree_node",
        "RegisteredPoint($0)",
        _REGISTERED_POINT,
        tags="namedtuple-subclass aux-str",
    ),
    node_kind(
        "register_pytree_node",
        "RegisteredStream($0, $1)",
        _REGISTERED_STREAM,
        tags="generator-children aux-frozenset",
    ),
    node_kind(
        "register_pytree_node",
        "RegisteredCallable(operator.add, $0, $1)",
        _REGISTERED_CALLABLE,
        tags="call iter aux-function",
    ),
    node_kind(
        "register_pytree_node_class",
        "ClassVariadic($0, $1, $2)",
        _CLASS_VARIADIC,
        tags="generic iter len aux-int",
    ),
    node_kind(
        "register_pytree_node_class",
        "ClassDerived($0, $1)",
        _CLASS_BOX,
        _CLASS_DERIVED,
        tags="derived reordered",
    ),
    node_kind(
        "register_pytree_with_keys",
        "KeyedSequence($0, $1)",
        _KEYED_SEQUENCE,
        tags="SequenceKey list-children slots",
    ),
    node_kind(
        "register_pytree_with_keys",
        "KeyedMapping({'b': $0, 'a': $1})",
        _KEYED_MAPPING,
        tags="DictKey mapping aux-keys",
    ),
    node_kind(
        "register_pytree_with_keys_class",
        "KeyedClassDerived($0, $1)",
        _KEYED_CLASS,
        _KEYED_CLASS_DERIVED,
        tags="GetAttrKey derived flatten-func",
    ),
)
