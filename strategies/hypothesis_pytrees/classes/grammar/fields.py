"""Traits of dataclasses, `eqx.Module` classes included, that are fields.

Each field has a default or is passed by keyword only, since dataclasses take no field without a
default behind one that has a default. No two traits use one name.
"""

from __future__ import annotations

from .traits import CLASS, Trait

# A field that `__init__` of a user's has to set, as it replaces the one that the dataclass writes.
_SET = frozenset({"__init__"})
LEVEL = """\
class Level(enum.Enum):
    LOW = 1
    HIGH = 2
"""
_UNEQUAL = '''\
class Unequal:
    """An object whose copies do not compare equal."""
'''
DOUBLE = """\
def double(x):
    return 2 * x
"""
_PAIR = """\
class StaticPair(eqx.Module):
    x: typing.Any
    y: typing.Any
"""


def _static(feature: str, value: str, *definitions: str) -> Trait:
    body = "tag: typing.Any = STATIC(default='tag')"
    return Trait(f"static {feature}", body, passed=f"tag={value}", definitions=definitions)


STATIC_FIELDS: tuple[Trait, ...] = (
    _static("static-str", "'label'"),
    # 1, True and 1.0 are equal and hash alike; so are 0.0 and -0.0.
    _static("static-int", "1"),
    _static("static-bool", "True"),
    _static("static-float", "1.0"),
    _static("static-zero", "0.0"),
    _static("static-minus-zero", "-0.0"),
    _static("static-tuple", "(1, 'a')"),
    _static("static-None", "None"),
    _static("static-enum", "Level.HIGH", LEVEL),
    _static("static-function", "double", DOUBLE),
    _static("static-own-class", CLASS),
    Trait(
        "nested-enum static default",
        """\
class Mode(enum.Enum):
    ON = 1
    OFF = 2

mode: Mode = STATIC(default=Mode.ON)
""",
    ),
)
OPTIONAL: tuple[Trait, ...] = (
    Trait("default default-text", "note: typing.Any = 'z'"),
    Trait("default-set", "y: typing.Any = None", passed="y=$"),
    Trait(
        "default-factory default",
        "items: list = dataclasses.field(default_factory=lambda: [1, 2])",
        clashes=_SET,
    ),
    Trait("kw-only", "side: typing.Any = FIELD(kw_only=True)", passed="side=$"),
    Trait(
        "kw-only-marker kw-only",
        """\
_: dataclasses.KW_ONLY
marked: typing.Any
""",
        passed="marked=$",
    ),
    Trait("metadata default", "size: typing.Any = FIELD(metadata={'unit': 'm'}, default=2)"),
    Trait("no-repr", "quiet: typing.Any = FIELD(repr=False, default=None)", passed="quiet=$"),
)
OF_MODULES: tuple[Trait, ...] = (
    _static("static-module", "StaticPair(1, 'a')", _PAIR),
    # One object for all instances.
    Trait(
        "default-module default", "scaled: typing.Any = StaticPair(2, 'b')", definitions=(_PAIR,)
    ),
    # A function with a rule for derivatives, around a compiled one of the same name.
    Trait(
        "default-function default unpicklable deepcopy-differs",
        "activation: typing.Callable = jax.nn.relu",
    ),
    # An annotation checks nothing without a type checker.
    # Source: https://docs.kidger.site/jaxtyping/api/runtime-type-checking/
    Trait(
        "jaxtyping-annotation",
        "weight: jaxtyping.Float[jax.Array, 'rows columns'] = None",
        passed="weight=$",
        definitions=("import jaxtyping\n",),
    ),
    Trait(
        "static-metadata static metadata default",
        "scale: int = dataclasses.field(default=2, metadata={'static': True})",
    ),
    # Not idempotent: a second run leaves a tuple in a tuple.
    Trait(
        "converter",
        "boxed: typing.Any = eqx.field(converter=lambda value: (value,), default=None)",
        passed="boxed=$",
    ),
    Trait(
        "converter-default converter default",
        "listed: typing.Any = eqx.field(converter=lambda value: [value], default=1)",
    ),
    Trait(
        "converter-array converter",
        "offsets: typing.Any = eqx.field(converter=np.asarray, default=0)",
        passed="offsets=[1, 2]",
    ),
    Trait(
        "converter-jnp converter",
        "rate_of: jax.Array = eqx.field(converter=jnp.asarray, default=0.0)",
        passed="rate_of=2.0",
    ),
    Trait(
        "static-converter static converter default",
        "label: typing.Any = eqx.field(static=True, converter=lambda tag: (tag,), default='b')",
    ),
)
ANNOTATED: tuple[Trait, ...] = (
    Trait("string-annotation", "quoted: 'typing.Any' = None", passed="quoted=$"),
    Trait("string-classvar classvar", "count: 'typing.ClassVar[int]' = 1"),
    Trait("odd-annotation default", "odd: Unequal() = None", definitions=(_UNEQUAL,)),
    Trait(
        "array-annotation odd-annotation default", "row: typing.Annotated[int, np.arange(2)] = 3"
    ),
    Trait("private-name", "_hidden: typing.Any = None", passed="_hidden=$"),
    Trait("mangled-name", "__mangled: typing.Any = None", passed=f"_{CLASS}__mangled=$"),
    Trait("classvar", "limit: typing.ClassVar[int] = 3"),
    Trait("class-attribute", "rate = 2"),
)
DATA: tuple[Trait, ...] = (*OPTIONAL, *ANNOTATED)
