"""Nodes that JAX itself flattens: registered dataclasses, static nodes and `Partial`."""

from __future__ import annotations

from hypothesis_pytrees.classes.grammar.registered_dataclasses import REGISTERED_CLASSES
from hypothesis_pytrees.core.kinds import Kind

from .node_kinds import node_kind

_DATA_RECORD = """\
@functools.partial(jtu.register_dataclass, data_fields=['x', 'y'], meta_fields=['tag'])
@dataclasses.dataclass
class DataRecord:
    x: typing.Any
    y: typing.Any
    tag: str = 'record'
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
DATACLASSES: tuple[Kind, ...] = (
    *(
        node_kind("register_dataclass", template, definition, tags=tags)
        for template, definition, tags in (
            ("DataRecord($0, $1)", _DATA_RECORD, "aux-str"),
            ("DataPlain($0)", _DATA_PLAIN, "no-dataclass aux-float"),
            ("DataMeta(3)", _DATA_META, "meta-only no-children frozen aux-int"),
            ("DataStatic($0)", _DATA_STATIC, "inferred-fields aux-str"),
        )
    ),
    *REGISTERED_CLASSES.alone(),
    *REGISTERED_CLASSES.of_run(),
)
STATIC: tuple[Kind, ...] = (
    node_kind("register_static", "StaticOptions(2)", _STATIC_OPTIONS, tags="no-children frozen"),
    node_kind(
        "register_static", "StaticText('tag')", _STATIC_TEXT, tags="no-children str-subclass"
    ),
    node_kind("register_static", "StaticLevel.HIGH", _STATIC_LEVEL, tags="no-children aux-enum"),
)
# What stands for the children of a Partial must be iterable and a mapping: it is rebuilt by
# `Partial(func, *args, **keywords)`. A Partial inside a Partial is aux data, compared by identity.
PARTIALS: tuple[Kind, ...] = tuple(
    node_kind("Partial", template, *definitions, tags=f"typed-children {tags}")
    for template, definitions, tags in (
        ("jtu.Partial(max, $0)", (), "aux-function"),
        ("jtu.Partial(max, $0, key=$1, default=$2)", (), "keywords"),
        ("jtu.Partial(math.sin)", (), "no-leaves"),
        ("jtu.Partial(PartialScale(2), $0)", (_PARTIAL_SCALE,), "aux-object"),
        ("jtu.Partial(PARTIAL_INNER, $0)", (_PARTIAL_INNER,), "identity-aux"),
        ("jtu.Partial(PARTIAL_LAMBDA, $0)", (_PARTIAL_LAMBDA,), "unpicklable"),
    )
)
