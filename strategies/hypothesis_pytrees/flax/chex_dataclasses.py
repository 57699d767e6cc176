"""`chex.dataclass` classes: mappable and plain, frozen, keyword-only, inherited, generic."""

from __future__ import annotations

from hypothesis_pytrees.core.kinds import Kind

from .kinds import chex_kind

_PAIR = """\
@chex.dataclass
class CxPair:
    y: typing.Any
    x: typing.Any
"""
_PLAIN = """\
@chex.dataclass(mappable_dataclass=False)
class CxPlain:
    y: typing.Any
    x: typing.Any = None
"""
_ITEM = "CxItem = typing.TypeVar('CxItem')\n"

CHEX_DATACLASSES: tuple[Kind, ...] = (
    chex_kind("mappable", "CxPair(x=$0, y=$1)", _PAIR),
    chex_kind("mappable from-tuple", "CxPair.from_tuple(($0, $1))", _PAIR),
    chex_kind("mappable replaced", "CxPair(x=$0, y=1).replace(y=$1)", _PAIR),
    chex_kind("plain default", "CxPlain($0)", _PLAIN),
    chex_kind("plain", "CxPlain($0, $1)", _PLAIN),
    chex_kind(
        "mappable frozen",
        "CxFrozen(x=$0)",
        """\
@chex.dataclass(frozen=True)
class CxFrozen:
    x: typing.Any
""",
    ),
    chex_kind(
        "plain frozen",
        "CxFrozenPlain($0)",
        """\
@chex.dataclass(frozen=True, mappable_dataclass=False)
class CxFrozenPlain:
    x: typing.Any
""",
    ),
    chex_kind(
        "mappable default",
        "CxDefaults(x=$0)",
        """\
@chex.dataclass
class CxDefaults:
    x: typing.Any
    y: typing.Any = None
    items: typing.Any = dataclasses.field(default_factory=lambda: [1, {}])
""",
    ),
    chex_kind(
        "mappable kw-only",
        "CxKeyword(x=$0)",
        """\
@chex.dataclass(kw_only=True)
class CxKeyword:
    n: typing.Any = 1
    x: typing.Any
""",
    ),
    chex_kind(
        "mappable init-false post-init",
        "CxDerived(x=$0)",
        """\
@chex.dataclass
class CxDerived:
    x: typing.Any
    n: typing.Any = dataclasses.field(init=False, default=7)

    def __post_init__(self):
        pass
""",
    ),
    chex_kind(
        "mappable derived",
        "CxChild(x=$0, y=2, z=$1)",
        _PAIR,
        """\
@chex.dataclass
class CxChild(CxPair):
    z: typing.Any = None
""",
    ),
    chex_kind(
        "plain derived",
        "CxPlainChild($0, 2, $1)",
        _PLAIN,
        """\
@chex.dataclass(mappable_dataclass=False)
class CxPlainChild(CxPlain):
    z: typing.Any = None
""",
    ),
    chex_kind(
        "plain generic",
        "CxGeneric($0)",
        _ITEM,
        """\
@chex.dataclass(mappable_dataclass=False)
class CxGeneric(typing.Generic[CxItem]):
    x: typing.Any
""",
    ),
    chex_kind(
        "mappable generic",
        "CxBox(x=$0)",
        _ITEM,
        """\
@chex.dataclass
class CxBox(typing.Generic[CxItem]):
    x: typing.Any
""",
    ),
    chex_kind(
        "mappable no-fields",
        "CxEmpty()",
        """\
@chex.dataclass
class CxEmpty:
    pass
""",
    ),
)
