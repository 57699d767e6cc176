"""`flax.struct` classes: decorated and by base class, static fields, inheritance, generics.

No constructor looks at a child, since a child may be anything.
"""

from __future__ import annotations

from hypothesis_pytrees.core.kinds import Kind

from .kinds import struct_kind

_PAIR = """\
@flax.struct.dataclass
class FxPair:
    y: typing.Any
    x: typing.Any
"""
_STATIC = """\
@flax.struct.dataclass
class FxStatic:
    x: typing.Any
    tag: str = flax.struct.field(pytree_node=False, default='tag')
"""
_NODE = """\
class FxNode(flax.struct.PyTreeNode):
    x: typing.Any
"""
_BASE = """\
class FxBase(flax.struct.PyTreeNode):
    x: typing.Any
    size: int = flax.struct.field(pytree_node=False, default=1)
"""
_ITEM = "FxItem = typing.TypeVar('FxItem')\n"
_GENERIC = """\
class FxGeneric(flax.struct.PyTreeNode, typing.Generic[FxItem]):
    x: typing.Any
    tag: str = flax.struct.field(pytree_node=False, default='generic')
"""
_MIXIN = """\
class FxMixin:
    scale = 2

    def doubled(self):
        return [self]
"""

FIELDS: tuple[Kind, ...] = (
    struct_kind("decorated", "FxPair($0, $1)", _PAIR),
    struct_kind("decorated static default", "FxStatic($0)", _STATIC),
    struct_kind("decorated static", "FxStatic($0, 'other')", _STATIC),
    struct_kind(
        "decorated static static-function",
        "FxApply(math.sin, $0)",
        """\
@flax.struct.dataclass
class FxApply:
    apply_fn: typing.Callable = flax.struct.field(pytree_node=False)
    params: typing.Any
""",
    ),
    struct_kind(
        "decorated static metadata",
        "FxNoted($0, 3)",
        """\
@flax.struct.dataclass
class FxNoted:
    x: typing.Any = flax.struct.field(metadata={'unit': 'metre'})
    n: int = flax.struct.field(pytree_node=False, metadata={'unit': 'one'})
""",
    ),
    struct_kind(
        "decorated default",
        "FxDefaults($0)",
        """\
@flax.struct.dataclass
class FxDefaults:
    x: typing.Any
    y: typing.Any = None
    z: typing.Any = 0
    items: typing.Any = flax.struct.field(default_factory=lambda: [1, {}])
""",
    ),
    struct_kind(
        "decorated kw-only",
        "FxKeyword(y=$0, x=$1)",
        """\
@flax.struct.dataclass(kw_only=True)
class FxKeyword:
    x: typing.Any
    y: typing.Any
    n: int = flax.struct.field(pytree_node=False, default=0)
""",
    ),
    struct_kind(
        "decorated mutable",
        "FxMutable($0)",
        """\
@flax.struct.dataclass(frozen=False)
class FxMutable:
    x: typing.Any
""",
    ),
    struct_kind(
        "decorated slots",
        "FxSlots($0)",
        """\
@flax.struct.dataclass(slots=True)
class FxSlots:
    x: typing.Any
""",
    ),
    struct_kind(
        "decorated mutable slots static",
        "FxMutableSlots($0)",
        """\
@flax.struct.dataclass(frozen=False, slots=True)
class FxMutableSlots:
    x: typing.Any
    n: int = flax.struct.field(pytree_node=False, default=0)
""",
    ),
    struct_kind(
        "decorated identity-eq",
        "FxIdentity($0)",
        """\
@flax.struct.dataclass(eq=False)
class FxIdentity:
    x: typing.Any
""",
    ),
    struct_kind(
        "decorated property",
        "FxProperty($0)",
        """\
@flax.struct.dataclass
class FxProperty:
    x: typing.Any

    @property
    def pair(self):
        return (self.x, self.x)
""",
    ),
    struct_kind(
        "decorated cached-property",
        "FxCached($0)",
        """\
@flax.struct.dataclass
class FxCached:
    x: typing.Any

    @functools.cached_property
    def pair(self):
        return (self.x, self.x)
""",
    ),
    struct_kind(
        "decorated static post-init",
        "FxChecked($0)",
        """\
@flax.struct.dataclass
class FxChecked:
    x: typing.Any
    n: int = flax.struct.field(pytree_node=False, default=1)

    def __post_init__(self):
        if self.n < 0:
            raise ValueError('n must not be negative')
""",
    ),
    struct_kind(
        "decorated static no-data",
        "FxOptions(2)",
        """\
@flax.struct.dataclass
class FxOptions:
    width: int = flax.struct.field(pytree_node=False)
    name: str = flax.struct.field(pytree_node=False, default='options')
""",
    ),
    struct_kind(
        "decorated no-fields no-data",
        "FxEmpty()",
        """\
@flax.struct.dataclass
class FxEmpty:
    pass
""",
    ),
)
INHERITANCE: tuple[Kind, ...] = (
    struct_kind("base-class", "FxNode($0)", _NODE),
    struct_kind("base-class static", "FxBase($0, 2)", _BASE),
    struct_kind(
        "base-class derived static default",
        "FxDerived($0, 2, $1)",
        _BASE,
        """\
class FxDerived(FxBase):
    y: typing.Any = None
""",
    ),
    struct_kind(
        "base-class derived static bare-subclass",
        "FxBare($0)",
        _BASE,
        "class FxBare(FxBase):\n    pass\n",
    ),
    struct_kind(
        "base-class derived redeclared",
        "FxRedeclared($0, $1)",
        _BASE,
        """\
class FxRedeclared(FxBase):
    size: typing.Any = flax.struct.field(default=1)
""",
    ),
    struct_kind(
        "base-class derived kw-only default",
        "FxLater(z=$0)",
        """\
class FxEarlier(flax.struct.PyTreeNode):
    x: typing.Any = 1
""",
        """\
class FxLater(FxEarlier, kw_only=True):
    z: typing.Any
""",
    ),
    struct_kind(
        "decorated derived static",
        "FxDecoratedTwice($0, 'tag', $1)",
        _STATIC,
        """\
@flax.struct.dataclass
class FxDecoratedTwice(FxStatic):
    y: typing.Any = None
""",
    ),
    struct_kind(
        "decorated base-class",
        "FxBoth($0)",
        """\
@flax.struct.dataclass
class FxBoth(flax.struct.PyTreeNode):
    x: typing.Any
""",
    ),
    struct_kind("base-class generic generic-last static", "FxGeneric($0)", _ITEM, _GENERIC),
    struct_kind(
        "base-class generic generic-last static subscripted", "FxGeneric[int]($0)", _ITEM, _GENERIC
    ),
    struct_kind(
        "base-class generic generic-first",
        "FxGenericFirst($0)",
        _ITEM,
        """\
class FxGenericFirst(typing.Generic[FxItem], flax.struct.PyTreeNode):
    x: typing.Any
""",
    ),
    struct_kind(
        "base-class generic derived static",
        "FxOfInt($0, 'tag', $1)",
        _ITEM,
        _GENERIC,
        """\
class FxOfInt(FxGeneric[int]):
    y: typing.Any = None
""",
    ),
    struct_kind(
        "base-class mixin mixin-first",
        "FxMixedFirst($0)",
        _MIXIN,
        """\
class FxMixedFirst(FxMixin, flax.struct.PyTreeNode):
    x: typing.Any
""",
    ),
    struct_kind(
        "base-class mixin abstract",
        "FxMixedLast($0)",
        _MIXIN,
        """\
class FxMixedLast(flax.struct.PyTreeNode, FxMixin, abc.ABC):
    x: typing.Any
""",
    ),
    struct_kind(
        "base-class mutable",
        "FxMutableNode($0)",
        """\
class FxMutableNode(flax.struct.PyTreeNode, frozen=False):
    x: typing.Any
""",
    ),
)
# Simple ones first: draws shrink towards the front.
FLAX_STRUCTS: tuple[Kind, ...] = (*FIELDS, *INHERITANCE)
