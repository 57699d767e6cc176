"""Traits of dataclasses, `eqx.Module` classes included: further bases, and fields redeclared."""

from __future__ import annotations

from hypothesis_pytrees.core.releases import PROPERTY_FIELDS

from .traits import CLASS, Trait

_ITEM = "Item = typing.TypeVar('Item')\n"
_LOGGING = """\
class Logging:
    level = 1

    def log(self):
        return self.level
"""
_SLOTTED = """\
class Slotted:
    __slots__ = ()
"""
_CALLBACK = """\
class Callback(abc.ABC):
    @abc.abstractmethod
    def called(self):
        ...
"""
_DATACLASS = """\
@dataclasses.dataclass
class PlainDataclass:
    plain: typing.Any = dataclasses.field(default=None, kw_only=True)
"""
_GENERIC = frozenset({"typing.Generic"})

BASES: tuple[Trait, ...] = (
    Trait(
        "mixin-first plain-base",
        base="Logging",
        definitions=(_LOGGING,),
        claims=frozenset({"Logging"}),
    ),
    Trait(
        "mixin-last plain-base",
        base="Logging",
        last=True,
        definitions=(_LOGGING,),
        claims=frozenset({"Logging"}),
    ),
    Trait("slotted-base plain-base", base="Slotted", last=True, definitions=(_SLOTTED,)),
    Trait(
        "abc-first",
        """\
def called(self):
    return 1
""",
        base="Callback",
        definitions=(_CALLBACK,),
        claims=frozenset({"Callback"}),
    ),
    Trait(
        "abc-last",
        """\
def called(self):
    return 1
""",
        base="Callback",
        last=True,
        definitions=(_CALLBACK,),
        claims=frozenset({"Callback"}),
    ),
    Trait(
        "generic generic-last",
        base="typing.Generic[Item]",
        last=True,
        definitions=(_ITEM,),
        claims=_GENERIC,
    ),
    Trait(
        "generic-concrete",
        base="typing.Generic[Item]",
        last=True,
        base_below="{}[int]",
        definitions=(_ITEM,),
        claims=_GENERIC,
    ),
    Trait(
        "init-subclass class-keyword",
        f"""\
family: typing.ClassVar[str] = 'none'

def __init_subclass__(cls, family='unnamed', **keywords):
    super({CLASS}, cls).__init_subclass__(**keywords)
    cls.family = family
""",
        keyword_below="family='child'",
    ),
)
REDECLARED: tuple[Trait, ...] = (
    Trait(
        "redeclared-static redeclared static default",
        "fixed: typing.Any = 1",
        "fixed: typing.Any = STATIC(default=2)",
    ),
    Trait(
        "redeclared-dynamic redeclared default",
        "freed: typing.Any = STATIC(default='base')",
        "freed: typing.Any = 'free'",
    ),
)
OF_MODULES: tuple[Trait, ...] = (
    Trait(
        "dataclass-base plain-base",
        base="PlainDataclass",
        last=True,
        passed="plain=$",
        definitions=(_DATACLASS,),
    ),
    Trait("redeclared", "again: typing.Any = 1", "again: typing.Any", passed="again=$"),
    Trait("default-overridden default", "over: typing.Any = 1", "over = 2"),
    Trait(
        "property-overridden default-overridden property init-false",
        "shown: typing.Any = eqx.field(init=False)",
        """\
@property
def shown(self):
    return 2
""",
        needs=(PROPERTY_FIELDS,),
    ),
    Trait(
        "abstract-field abstract",
        "inner: eqx.AbstractVar[typing.Any]",
        "inner: typing.Any = None",
        passed="inner=$",
    ),
    Trait(
        "abstract-property abstract property",
        "outer: eqx.AbstractVar[typing.Any]",
        """\
@property
def outer(self):
    return self.x
""",
    ),
    Trait(
        "abstract-classvar abstract",
        "name: eqx.AbstractClassVar[str]",
        "name: typing.ClassVar[str] = 'concrete'",
    ),
    Trait(
        "abstract-method abstract",
        """\
@abc.abstractmethod
def total(self):
    ...
""",
        """\
def total(self):
    return 1
""",
    ),
    Trait(
        "check-init-inherited check-init init-effect",
        """\
checks: typing.ClassVar[int] = 0

def __check_init__(self):
    type(self).checks += 1
""",
        """\
def __check_init__(self):
    type(self).checks += 10
""",
    ),
)
