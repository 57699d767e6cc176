"""Nodes registered in every way that JAX offers, each one obeying the contract of its registration.

The contract: flatten is pure and hands out the very children, aux data is hashable and compares
by value, unflatten accepts any objects as children and has no effect that can be seen.
Source: https://docs.jax.dev/en/latest/custom_pytrees.html
"""

from __future__ import annotations

from .kinds import Kind


def _kind(registration: str, template: str, *definitions: str, tags: str = "") -> Kind:
    return Kind(registration, template, definitions, tuple(f"node:{tag}" for tag in tags.split()))


_REGISTERED = """\
class Registered:
    def __init__(self, left, right, tag):
        self.left, self.right, self.tag = left, right, tag


jtu.register_pytree_node(
    Registered,
    lambda node: ((node.left, node.right), node.tag),
    lambda tag, children: Registered(*children, tag),
)
"""
_REGISTERED_BOX = """\
class RegisteredBox:
    def __init__(self, value):
        self.value = value


jtu.register_pytree_node(
    RegisteredBox,
    lambda node: ((node.value,), None),
    lambda _, children: RegisteredBox(*children),
)
"""
_REGISTERED_LEAFLESS = """\
class RegisteredLeafless:
    def __init__(self, shape):
        self.shape = shape


jtu.register_pytree_node(
    RegisteredLeafless,
    lambda node: ((), node.shape),
    lambda shape, _: RegisteredLeafless(shape),
)
"""
_REGISTERED_REVERSED = """\
class RegisteredReversed:
    __slots__ = ('left', 'right')

    def __init__(self, left, right):
        self.left, self.right = left, right


jtu.register_pytree_node(
    RegisteredReversed,
    lambda node: ([node.right, node.left], None),
    lambda _, children: RegisteredReversed(*reversed(tuple(children))),
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
_REGISTERED_LABELLED = """\
class RegisteredLabel:
    def __init__(self, text):
        self.text = text

    def __eq__(self, other):
        if not isinstance(other, RegisteredLabel):
            return NotImplemented
        return self.text == other.text

    def __hash__(self):
        return hash(self.text)


class RegisteredLabelled(Registered):
    def __init__(self, left, right, text):
        super().__init__(left, right, RegisteredLabel(text))


jtu.register_pytree_node(
    RegisteredLabelled,
    lambda node: ((node.left, node.right), node.tag),
    lambda label, children: RegisteredLabelled(*children, label.text),
)
"""
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
_REGISTERED_COUNTED = """\
class RegisteredCounted:
    created = 0

    def __init__(self, value):
        RegisteredCounted.created += 1
        self.value = value


def rebuild_counted(_, children):
    node = object.__new__(RegisteredCounted)
    (node.value,) = children
    return node


jtu.register_pytree_node(RegisteredCounted, lambda node: ((node.value,), None), rebuild_counted)
"""
_REGISTERED_FALSY = """\
class RegisteredFalsy:
    def __init__(self, value):
        self.value = value

    def __len__(self):
        return 0


jtu.register_pytree_node(
    RegisteredFalsy,
    lambda node: ((node.value,), None),
    lambda _, children: RegisteredFalsy(*children),
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
_REGISTERED_HOSTILE = """\
class RegisteredHostile:
    def __init__(self, value):
        self.value = value

    def refuse(self, *_):
        raise RuntimeError('a tree operation compared, hashed or truth-tested a node')

    __eq__ = __ne__ = __hash__ = __bool__ = refuse


jtu.register_pytree_node(
    RegisteredHostile,
    lambda node: ((node.value,), None),
    lambda _, children: RegisteredHostile(*children),
)
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

_DATA_RECORD = """\
@functools.partial(jtu.register_dataclass, data_fields=['x', 'y'], meta_fields=['tag'])
@dataclasses.dataclass
class DataRecord:
    x: typing.Any
    y: typing.Any
    tag: str = 'record'
"""
_DATA_SLOTS = """\
@functools.partial(jtu.register_dataclass, data_fields=['x'], meta_fields=[])
@dataclasses.dataclass(frozen=True, slots=True)
class DataSlots:
    x: typing.Any
"""
_DATA_KEYWORD = """\
@functools.partial(jtu.register_dataclass, data_fields=['y', 'x'], meta_fields=[])
@dataclasses.dataclass(kw_only=True)
class DataKeyword:
    x: typing.Any
    y: typing.Any
    calls: int = dataclasses.field(init=False, default=0)
"""
_DATA_DERIVED = """\
@functools.partial(jtu.register_dataclass, data_fields=['x', 'y', 'z'], meta_fields=['tag'])
@dataclasses.dataclass
class DataDerived(DataRecord):
    z: typing.Any = None
"""
_DATA_PLAIN = """\
class DataPlain:
    def __init__(self, x, scale=1.0):
        self.x, self.scale = x, scale


jtu.register_dataclass(DataPlain, data_fields=['x'], meta_fields=['scale'])
"""
_DATA_META = """\
@functools.partial(jtu.register_dataclass, data_fields=[], meta_fields=['size'])
@dataclasses.dataclass(frozen=True)
class DataMeta:
    size: int
"""
_DATA_INFERRED = """\
@jtu.register_dataclass
@dataclasses.dataclass
class DataInferred:
    x: typing.Any
    tag: str = dataclasses.field(default='inferred', metadata=dict(static=True))
    y: typing.Any = None
"""
_DATA_DROPPED = """\
@functools.partial(
    jtu.register_dataclass, data_fields=['x'], meta_fields=[], drop_fields=['cache']
)
@dataclasses.dataclass
class DataDropped:
    x: typing.Any
    cache: typing.Any = None
"""
_DATA_STATIC = """\
@jtu.register_dataclass
@dataclasses.dataclass
class DataStatic:
    x: typing.Any
    tag: str = jax.tree.static(default='static')
"""

_STATIC_TEXT = """\
@jtu.register_static
class StaticText(str):
    pass
"""
_STATIC_OPTIONS = """\
@jtu.register_static
@dataclasses.dataclass(frozen=True)
class StaticOptions:
    width: int
    name: str = 'options'
"""
_STATIC_LEVEL = """\
@jtu.register_static
class StaticLevel(enum.Enum):
    LOW = 1
    HIGH = 2
"""

_PARTIAL_SCALE = """\
@dataclasses.dataclass(frozen=True)
class PartialScale:
    factor: int

    def __call__(self, x):
        return self.factor * x
"""
_PARTIAL_INNER = "PARTIAL_INNER = jtu.Partial(max, 0)\n"
_PARTIAL_LAMBDA = "PARTIAL_LAMBDA = lambda *xs: xs\n"

# Simplest first within each registration: draws shrink towards the front.
_BY_FUNCTION: tuple[Kind, ...] = tuple(
    _kind("register_pytree_node", template, *definitions, tags=tags)
    for template, definitions, tags in (
        ("RegisteredBox($0)", (_REGISTERED_BOX,), "aux-None"),
        ("Registered($0, $1, 'tag')", (_REGISTERED,), "aux-str"),
        ("Registered($0, $1, 1)", (_REGISTERED,), "aux-int"),
        ("Registered($0, $1, True)", (_REGISTERED,), "aux-bool"),
        ("RegisteredLeafless((2, 3))", (_REGISTERED_LEAFLESS,), "aux-tuple no-children"),
        ("RegisteredReversed($0, $1)", (_REGISTERED_REVERSED,), "reordered list-children slots"),
        ("RegisteredStream($0, $1)", (_REGISTERED_STREAM,), "generator-children aux-frozenset"),
        (
            "RegisteredLabelled($0, $1, 'text')",
            (_REGISTERED, _REGISTERED_LABELLED),
            "aux-object derived",
        ),
        ("RegisteredStack([$0, $1])", (_REGISTERED_STACK,), "list-subclass list-children"),
        ("RegisteredTable({'b': $0, 'a': $1})", (_REGISTERED_TABLE,), "dict-subclass aux-keys"),
        ("RegisteredPoint($0)", (_REGISTERED_POINT,), "namedtuple-subclass aux-str"),
        ("RegisteredCounted($0)", (_REGISTERED_COUNTED,), "init-effect"),
        ("RegisteredFalsy($0)", (_REGISTERED_FALSY,), "falsy len"),
        (
            "RegisteredCallable(operator.add, $0, $1)",
            (_REGISTERED_CALLABLE,),
            "call iter aux-function",
        ),
        ("RegisteredHostile($0)", (_REGISTERED_HOSTILE,), "hostile"),
    )
)
_BY_CLASS: tuple[Kind, ...] = tuple(
    _kind("register_pytree_node_class", template, *definitions, tags=tags)
    for template, definitions, tags in (
        ("ClassBox($0)", (_CLASS_BOX,), "aux-None"),
        ("ClassFrozen($0)", (_CLASS_FROZEN,), "aux-enum frozen"),
        ("ClassDerived($0, $1)", (_CLASS_BOX, _CLASS_DERIVED), "derived reordered"),
        ("ClassVariadic($0, $1, $2)", (_CLASS_VARIADIC,), "generic iter len aux-int"),
        ("ClassNested($0)", (_CLASS_NESTED,), "fresh-container None-child aux-tuple"),
    )
)
_BY_FUNCTION_WITH_KEYS: tuple[Kind, ...] = tuple(
    _kind("register_pytree_with_keys", template, *definitions, tags=tags)
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
_BY_CLASS_WITH_KEYS: tuple[Kind, ...] = tuple(
    _kind("register_pytree_with_keys_class", template, *definitions, tags=tags)
    for template, definitions, tags in (
        ("KeyedClass($0)", (_KEYED_CLASS,), "GetAttrKey"),
        (
            "KeyedClassDerived($0, $1)",
            (_KEYED_CLASS, _KEYED_CLASS_DERIVED),
            "GetAttrKey derived flatten-func",
        ),
    )
)
_DATACLASSES: tuple[Kind, ...] = tuple(
    _kind("register_dataclass", template, *definitions, tags=tags)
    for template, definitions, tags in (
        ("DataSlots($0)", (_DATA_SLOTS,), "data-only frozen slots"),
        ("DataRecord($0, $1)", (_DATA_RECORD,), "aux-str"),
        ("DataKeyword(x=$0, y=$1)", (_DATA_KEYWORD,), "kw-only reordered init-false"),
        ("DataDerived($0, $1)", (_DATA_RECORD, _DATA_DERIVED), "derived None-child aux-str"),
        ("DataPlain($0)", (_DATA_PLAIN,), "no-dataclass aux-float"),
        ("DataMeta(3)", (_DATA_META,), "meta-only no-children frozen aux-int"),
        ("DataInferred($0, y=$1)", (_DATA_INFERRED,), "inferred-fields aux-str"),
        ("DataDropped($0)", (_DATA_DROPPED,), "drop-fields"),
        ("DataStatic($0)", (_DATA_STATIC,), "inferred-fields aux-str"),
    )
)
_STATIC: tuple[Kind, ...] = (
    _kind("register_static", "StaticOptions(2)", _STATIC_OPTIONS, tags="no-children frozen"),
    _kind("register_static", "StaticText('tag')", _STATIC_TEXT, tags="no-children str-subclass"),
    _kind("register_static", "StaticLevel.HIGH", _STATIC_LEVEL, tags="no-children aux-enum"),
)
# What stands for the children of a Partial must be iterable and a mapping: it is rebuilt by
# `Partial(func, *args, **keywords)`. A Partial inside a Partial is aux data, compared by identity.
_PARTIALS: tuple[Kind, ...] = tuple(
    _kind("Partial", template, *definitions, tags=f"typed-children {tags}")
    for template, definitions, tags in (
        ("jtu.Partial(max, $0)", (), "aux-function"),
        ("jtu.Partial(max, $0, key=$1, default=$2)", (), "keywords"),
        ("jtu.Partial(math.sin)", (), "no-leaves"),
        ("jtu.Partial(PartialScale(2), $0)", (_PARTIAL_SCALE,), "aux-object"),
        ("jtu.Partial(PARTIAL_INNER, $0)", (_PARTIAL_INNER,), "identity-aux"),
        ("jtu.Partial(PARTIAL_LAMBDA, $0)", (_PARTIAL_LAMBDA,), "unpicklable"),
    )
)

NODES: tuple[Kind, ...] = (
    *_BY_FUNCTION,
    *_DATACLASSES,
    *_PARTIALS,
    *_BY_CLASS,
    *_BY_FUNCTION_WITH_KEYS,
    *_BY_CLASS_WITH_KEYS,
    *_STATIC,
)
