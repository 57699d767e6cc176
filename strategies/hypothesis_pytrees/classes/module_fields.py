"""`eqx.Module` classes that differ in field declarations and in the values of static fields."""

from __future__ import annotations

from hypothesis_pytrees.core.kinds import Kind

from .module_kinds import module_kind

PLAIN = """\
class Plain(eqx.Module):
    x: typing.Any
    y: typing.Any
"""
DOUBLE = """\
def double(x):
    return 2 * x
"""
_LABELLED = """\
class Labelled(eqx.Module):
    x: typing.Any
    label: typing.Any = eqx.field(static=True)
"""
_LEVEL = """\
class Level(enum.Enum):
    LOW = 1
    HIGH = 2
"""
_UNEQUAL = '''\
class Unequal:
    """An object whose copies do not compare equal."""
'''

STATIC: tuple[Kind, ...] = (
    module_kind("static", "Labelled($0, 'label')", _LABELLED),
    # 1, True and 1.0 are equal and hash alike; so are 0.0 and -0.0.
    module_kind("static static-int", "Labelled($0, 1)", _LABELLED),
    module_kind("static static-bool", "Labelled($0, True)", _LABELLED),
    module_kind("static static-float", "Labelled($0, 1.0)", _LABELLED),
    module_kind("static static-zero", "Labelled($0, 0.0)", _LABELLED),
    module_kind("static static-minus-zero", "Labelled($0, -0.0)", _LABELLED),
    module_kind("static static-tuple", "Labelled($0, (1, 'a'))", _LABELLED),
    module_kind("static static-None", "Labelled($0, None)", _LABELLED),
    module_kind("static static-enum", "Labelled($0, Level.HIGH)", _LABELLED, _LEVEL),
    module_kind("static static-function", "Labelled($0, double)", _LABELLED, DOUBLE),
    module_kind("static static-module", "Labelled($0, Plain(1, 'a'))", _LABELLED, PLAIN),
    module_kind("static static-own-class", "Labelled($0, Labelled)", _LABELLED),
)

DECLARED: tuple[Kind, ...] = (
    module_kind(
        "metadata",
        "Described($0, $1)",
        """\
class Described(eqx.Module):
    x: typing.Any = dataclasses.field(metadata={'unit': 'm'})
    y: typing.Any = eqx.field(metadata={'unit': 's'}, repr=False)
""",
    ),
    module_kind(
        "static metadata",
        "DescribedStatic($0)",
        """\
class DescribedStatic(eqx.Module):
    x: typing.Any
    unit: str = eqx.field(static=True, metadata={'doc': 'unit of x'}, default='m')
    scale: int = dataclasses.field(default=2, metadata={'static': True})
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
        "kw-only default",
        "KeywordMarker($0, y=$1)",
        """\
class KeywordMarker(eqx.Module):
    x: typing.Any = 1
    _: dataclasses.KW_ONLY
    y: typing.Any
""",
    ),
    module_kind(
        "string-annotation",
        "Quoted($0, $1)",
        """\
class Quoted(eqx.Module):
    x: 'typing.Any'
    y: 'Quoted | None'
    count: 'typing.ClassVar[int]' = 1
""",
    ),
    module_kind(
        "odd-annotation",
        "OddlyAnnotated($0)",
        _UNEQUAL,
        """\
class OddlyAnnotated(eqx.Module):
    x: Unequal()
""",
    ),
    module_kind(
        "odd-annotation",
        "ArrayAnnotated($0)",
        """\
class ArrayAnnotated(eqx.Module):
    x: typing.Annotated[typing.Any, np.array([1, 2])]
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
    module_kind(
        "private-name",
        "Secretive($0, $1)",
        """\
class Secretive(eqx.Module):
    _hidden: typing.Any
    __mangled: typing.Any
""",
    ),
    module_kind(
        "static nested-enum",
        "Switch($0)",
        """\
class Switch(eqx.Module):
    class Mode(enum.Enum):
        ON = 1
        OFF = 2

    x: typing.Any
    mode: Mode = eqx.field(static=True, default=Mode.ON)
""",
    ),
    module_kind("holds-None", "Plain($0, None)", PLAIN),
    module_kind(
        "many-fields static",
        "Wide($0, 1, 2.0, 'three', None, (5,), $1)",
        """\
class Wide(eqx.Module):
    a: typing.Any
    b: typing.Any
    c: typing.Any = eqx.field(static=True)
    d: typing.Any
    e: typing.Any
    f: typing.Any = eqx.field(static=True)
    g: typing.Any
    h: typing.Any = eqx.field(default=8, static=True)
""",
    ),
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
)
PLAIN_KIND = module_kind("plain", "Plain($0, $1)", PLAIN)
FIELDS: tuple[Kind, ...] = (PLAIN_KIND, *STATIC, *DECLARED)
