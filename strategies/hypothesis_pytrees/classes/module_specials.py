"""`eqx.Module` classes that the grammar does not write: without fields, or made by other means."""

from __future__ import annotations

from hypothesis_pytrees.core.kinds import Kind

from .module_kinds import empty_subclass, module_kind

PLAIN = """\
class Plain(eqx.Module):
    x: typing.Any
    y: typing.Any
"""
PLAIN_KIND = module_kind("plain", "Plain($0, $1)", PLAIN)
_BOX = """\
class Box(eqx.Module, typing.Generic[Item]):
    item: Item
"""

CONVERTER_READ = module_kind(
    "converter-read converter post-init init-false",
    "WrappedDerived($0)",
    """\
class WrappedDerived(eqx.Module):
    x: typing.Any = eqx.field(converter=lambda value: [value])
    seen: str = eqx.field(init=False, static=True)

    def __post_init__(self):
        self.seen = type(self.x).__name__
""",
)

SPECIALS: tuple[Kind, ...] = (
    module_kind(
        "static",
        "Labelled($0, 'label')",
        """\
class Labelled(eqx.Module):
    x: typing.Any
    label: typing.Any = eqx.field(static=True)
""",
    ),
    module_kind("holds-None", "Plain($0, None)", PLAIN),
    module_kind(
        "no-fields",
        "Fieldless()",
        """\
class Fieldless(eqx.Module):
    pass
""",
    ),
    module_kind(
        "no-leaves static",
        "Constant()",
        """\
class Constant(eqx.Module):
    value: int = eqx.field(static=True, default=1)
""",
    ),
    module_kind(
        "recursive-annotation string-annotation",
        "Quoted($0, $1)",
        """\
class Quoted(eqx.Module):
    x: typing.Any
    y: 'Quoted | None'
""",
    ),
    module_kind(
        "kw-only",
        "KeywordOnly(y=$1, x=$0)",
        """\
class KeywordOnly(eqx.Module):
    x: typing.Any = eqx.field(kw_only=True)
    y: typing.Any
""",
    ),
    module_kind(
        "classvar class-attribute docstring",
        "Documented($0)",
        '''\
class Documented(eqx.Module):
    """A module with a docstring."""

    x: typing.Any
    limit: typing.ClassVar[int] = 3
    scale = 2
''',
    ),
    CONVERTER_READ,
    empty_subclass(CONVERTER_READ),
    module_kind(
        "init",
        "Unpacked(($0, $1))",
        """\
class Unpacked(eqx.Module):
    left: typing.Any
    right: typing.Any

    def __init__(self, pair):
        self.left, self.right = pair
""",
    ),
    module_kind(
        "init init-effect init-writes-argument",
        "Stamped({'b': $0})",
        """\
class Stamped(eqx.Module):
    table: dict

    def __init__(self, table):
        self.table = table
        self.table['a'] = 42
""",
    ),
    module_kind(
        "init converter",
        "InitWrapped($0)",
        """\
class InitWrapped(eqx.Module):
    x: typing.Any = eqx.field(converter=lambda value: (value,))

    def __init__(self, x):
        self.x = x
""",
    ),
    module_kind(
        "init default default-unset",
        "Unset($0)",
        """\
class Unset(eqx.Module):
    x: typing.Any
    width: int = eqx.field(default=42)

    def __init__(self, x):
        self.x = x
""",
    ),
    module_kind(
        "init default default-unset static",
        "UnsetStatic($0)",
        """\
class UnsetStatic(eqx.Module):
    x: typing.Any
    width: int = eqx.field(default=42, static=True)

    def __init__(self, x):
        self.x = x
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
        "inherited",
        "Child($0, z=$1)",
        """\
class Base(eqx.Module):
    x: typing.Any
    y: typing.Any = 1
    tag: typing.Any = eqx.field(static=True, default='base')
""",
        """\
class Child(Base):
    z: typing.Any = None
""",
    ),
    module_kind(
        "inherited no-fields",
        "Implemented($0)",
        """\
class Interface(eqx.Module):
    pass
""",
        """\
class Implemented(Interface):
    x: typing.Any
""",
    ),
    module_kind(
        "inherited abstract abstract-method",
        "Concrete($0)",
        """\
class Wholly(eqx.Module):
    name: eqx.AbstractClassVar[str]
    x: eqx.AbstractVar[typing.Any]

    @abc.abstractmethod
    def area(self):
        ...
""",
        """\
class Partly(Wholly):
    name: typing.ClassVar[str] = 'partly'

    @abc.abstractmethod
    def length(self):
        ...
""",
        """\
class Concrete(Partly):
    x: typing.Any

    def area(self):
        return 1

    def length(self):
        return 2
""",
    ),
    module_kind(
        "plain-base dataclass-base",
        "Measured($0, $1)",
        """\
@dataclasses.dataclass
class Measure:
    size: typing.Any
""",
        """\
class Measured(eqx.Module, Measure):
    x: typing.Any
""",
    ),
    module_kind("generic", "Box($0)", "Item = typing.TypeVar('Item')\n", _BOX),
    module_kind("generic subscripted", "Box[int]($0)", "Item = typing.TypeVar('Item')\n", _BOX),
    module_kind(
        "enumeration",
        "Outcome.good",
        """\
class Outcome(eqx.Enumeration):
    good = 'went well'
    bad = 'went wrong'
""",
    ),
)
