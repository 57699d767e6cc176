"""`eqx.Module` classes that differ in their bases: abstract, generic, redeclared, plain Python."""

from __future__ import annotations

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.releases import PROPERTY_FIELDS

from .module_kinds import module_kind

_ITEM = "Item = typing.TypeVar('Item')\n"
_BOX = """\
class Box(eqx.Module, typing.Generic[Item]):
    item: Item
"""
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
_BASE = """\
class Base(eqx.Module):
    x: typing.Any
    y: typing.Any = 1
    tag: typing.Any = eqx.field(static=True, default='base')
"""
_ABSTRACT = """\
class Abstract(eqx.Module):
    x: eqx.AbstractVar[typing.Any]
    name: eqx.AbstractClassVar[str]

    @abc.abstractmethod
    def total(self):
        ...
"""
_KEYWORDED = """\
class Keyworded(eqx.Module):
    x: typing.Any
    family: typing.ClassVar[str] = 'none'

    def __init_subclass__(cls, family='unnamed', **keywords):
        super().__init_subclass__(**keywords)
        cls.family = family
"""

INIT_SUBCLASS = module_kind(
    "init-subclass class-keyword",
    "KeywordedChild($0)",
    _KEYWORDED,
    """\
class KeywordedChild(Keyworded, family='child'):
    pass
""",
)

INHERITANCE: tuple[Kind, ...] = (
    module_kind(
        "inherited",
        "Child($0, z=$1)",
        _BASE,
        """\
class Child(Base):
    z: typing.Any = None
""",
    ),
    module_kind(
        "inherited redeclared",
        "Redeclared($0, $1)",
        _BASE,
        """\
class Redeclared(Base):
    y: typing.Any
""",
    ),
    module_kind(
        "inherited redeclared static",
        "StaticAgain($0, 2, 'again')",
        _BASE,
        """\
class StaticAgain(Base):
    y: typing.Any = eqx.field(static=True, default=2)
    tag: typing.Any = 'free'
""",
    ),
    module_kind(
        "inherited default-overridden",
        "Overridden($0)",
        _BASE,
        """\
class Overridden(Base):
    y = 2
""",
    ),
    module_kind(
        "inherited default-overridden property init-false",
        "ByProperty($0)",
        """\
class ForProperty(eqx.Module):
    x: typing.Any
    y: typing.Any = eqx.field(init=False)
""",
        """\
class ByProperty(ForProperty):
    @property
    def y(self):
        return 2
""",
        needs=(PROPERTY_FIELDS,),
    ),
    module_kind(
        "inherited abstract",
        "Concrete($0)",
        _ABSTRACT,
        """\
class HalfConcrete(Abstract):
    name: typing.ClassVar[str] = 'half'

    def total(self):
        return 1
""",
        """\
class Concrete(HalfConcrete):
    x: typing.Any
""",
    ),
    module_kind(
        "inherited abstract property",
        "ConcreteProperty($0)",
        _ABSTRACT,
        """\
class ConcreteProperty(Abstract):
    inner: typing.Any
    name = 'property'

    @property
    def x(self):
        return self.inner

    def total(self):
        return 2
""",
    ),
    module_kind(
        "plain-base",
        "LoggingFirst($0)",
        _LOGGING,
        """\
class LoggingFirst(Logging, eqx.Module):
    x: typing.Any
""",
    ),
    module_kind(
        "plain-base",
        "LoggingLast($0)",
        _LOGGING,
        _SLOTTED,
        """\
class LoggingLast(eqx.Module, Logging, Slotted):
    x: typing.Any
""",
    ),
    module_kind(
        "plain-base init",
        "PlainInit($0)",
        """\
class Initialising:
    def __init__(self, x):
        self.x = x
""",
        """\
class PlainInit(Initialising, eqx.Module):
    x: typing.Any
""",
    ),
    module_kind(
        "plain-base dataclass-base",
        "FromDataclass($0, $1)",
        """\
@dataclasses.dataclass
class PlainDataclass:
    x: typing.Any
""",
        """\
class FromDataclass(eqx.Module, PlainDataclass):
    y: typing.Any
""",
    ),
    module_kind("generic", "Box($0)", _ITEM, _BOX),
    module_kind("generic subscripted", "Box[int]($0)", _ITEM, _BOX),
    module_kind(
        "generic inherited",
        "IntBox($0)",
        _ITEM,
        _BOX,
        """\
class IntBox(Box[int]):
    pass
""",
    ),
    INIT_SUBCLASS,
    module_kind(
        "inherited diamond",
        "Diamond($0, left=$1)",
        """\
class Top(eqx.Module):
    x: typing.Any
""",
        """\
class Left(Top):
    left: typing.Any = 1
""",
        """\
class Right(Top):
    right: typing.Any = eqx.field(static=True, default='r')
""",
        """\
class Diamond(Left, Right):
    pass
""",
    ),
    module_kind(
        "inherited post-init",
        "PostChild($0)",
        """\
class PostParent(eqx.Module):
    x: typing.Any
    calls: str = eqx.field(init=False, static=True)

    def __post_init__(self):
        self.calls = 'parent'
""",
        """\
class PostChild(PostParent):
    def __post_init__(self):
        super().__post_init__()
        self.calls = self.calls + ' child'
""",
    ),
    module_kind(
        "inherited check-init init-effect",
        "CheckChild($0)",
        """\
class CheckParent(eqx.Module):
    x: typing.Any
    checks: typing.ClassVar[int] = 0

    def __check_init__(self):
        CheckParent.checks += 1
""",
        """\
class CheckChild(CheckParent):
    def __check_init__(self):
        CheckParent.checks += 10
""",
    ),
)
