"""Nodes registered by `jax.tree_util.register_pytree_node`."""

from __future__ import annotations

from hypothesis_pytrees.core.kinds import Kind

from .node_kinds import node_kind

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

# Simplest first within each registration: draws shrink towards the front.
BY_FUNCTION: tuple[Kind, ...] = tuple(
    node_kind("register_pytree_node", template, *definitions, tags=tags)
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
