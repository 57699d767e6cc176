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
_CHECKED = """\
@chex.dataclass
class CxChecked:
    x: typing.Any

    def __post_init__(self):
        pass
"""
_LABELS = """\
class CxLabels:
    def __init_subclass__(cls, /, label, **keywords):
        super().__init_subclass__(**keywords)
        cls.label = label
"""
# What the grammar does not write: without fields, made by other means, or not built by Chex (the
# finding `chex_mappable_classes_are_made_twice`), in which case no tree holds one.
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
    chex_kind(
        "mappable post-init post-init-super",
        "CxSuper(x=$0)",
        _CHECKED,
        """\
@chex.dataclass
class CxSuper(CxChecked):
    def __post_init__(self):
        super().__post_init__()
""",
    ),
    chex_kind(
        "mappable class-keyword class-keyword-required",
        "CxLabelled(x=$0)",
        _LABELS,
        """\
@chex.dataclass
class CxLabelled(CxLabels, label='a'):
    x: typing.Any
""",
    ),
)
CHEX_DATACLASSES: tuple[Kind, ...] = (*SPECIALS, *CHEX_CLASSES.alone(), *CHEX_CLASSES.of_run())
