"""Every kind of `chex.dataclass` class, simple ones first."""

from __future__ import annotations

from hypothesis_pytrees.classes.grammar.chex_dataclasses import CHEX_CLASSES
from hypothesis_pytrees.core.kinds import Kind

from .kinds import chex_kind

_PAIR = """\
@chex.dataclass
class CxPair:
    y: typing.Any
    x: typing.Any
"""
# What the grammar does not write: without fields, or made by other means.
SPECIALS: tuple[Kind, ...] = (
    chex_kind("mappable", "CxPair(x=$0, y=$1)", _PAIR),
    chex_kind("mappable from-tuple", "CxPair.from_tuple(($0, $1))", _PAIR),
    chex_kind("mappable replaced", "CxPair(x=$0, y=1).replace(y=$1)", _PAIR),
    chex_kind(
        "plain",
        "CxPlain($0, $1)",
        """\
@chex.dataclass(mappable_dataclass=False)
class CxPlain:
    y: typing.Any
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
CHEX_DATACLASSES: tuple[Kind, ...] = (*SPECIALS, *CHEX_CLASSES.alone(), *CHEX_CLASSES.of_run())
