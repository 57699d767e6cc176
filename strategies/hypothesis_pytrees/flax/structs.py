"""Every kind of `flax.struct` class, simple ones first."""

from __future__ import annotations

from hypothesis_pytrees.classes.grammar.structs import STRUCT_CLASSES
from hypothesis_pytrees.core.kinds import Kind

from .kinds import struct_kind

_STATIC = """\
@flax.struct.dataclass
class FxStatic:
    x: typing.Any
    tag: str = flax.struct.field(pytree_node=False, default='tag')
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
"""
# What the grammar does not write: without children, without defaults, with children in the place
# of a static field or behind a default, made by other means.
SPECIALS: tuple[Kind, ...] = (
    struct_kind(
        "decorated",
        "FxPair($0, $1)",
        """\
@flax.struct.dataclass
class FxPair:
    y: typing.Any
    x: typing.Any
""",
    ),
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
        "base-class",
        "FxNode($0)",
        """\
class FxNode(flax.struct.PyTreeNode):
    x: typing.Any
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
    struct_kind(
        "decorated base-class",
        "FxBoth($0)",
        """\
@flax.struct.dataclass
class FxBoth(flax.struct.PyTreeNode):
    x: typing.Any
""",
    ),
    struct_kind(
        "decorated default default-factory",
        "FxDefaults($0)",
        """\
@flax.struct.dataclass
class FxDefaults:
    x: typing.Any
    items: typing.Any = flax.struct.field(default_factory=lambda: [1, {}])
""",
    ),
    struct_kind(
        "base-class inherited redeclared",
        "FxRedeclared($0, $1)",
        _BASE,
        """\
class FxRedeclared(FxBase):
    size: typing.Any = flax.struct.field(default=1)
""",
    ),
    struct_kind(
        "base-class inherited kw-only",
        "FxLater(z=$0, x=$1)",
        """\
class FxEarlier(flax.struct.PyTreeNode):
    x: typing.Any = 1
""",
        """\
class FxLater(FxEarlier, kw_only=True):
    z: typing.Any
""",
    ),
    struct_kind("base-class generic generic-last", "FxGeneric($0)", _ITEM, _GENERIC),
    struct_kind(
        "base-class generic generic-last subscripted", "FxGeneric[int]($0)", _ITEM, _GENERIC
    ),
)
FLAX_STRUCTS: tuple[Kind, ...] = (*SPECIALS, *STRUCT_CLASSES.alone(), *STRUCT_CLASSES.of_run())
