"""The grammar of `nnx.Module` classes: what `__init__` sets, methods, and further bases.

No two traits use one name, and no code reads an attribute, which may be anything.
"""

from __future__ import annotations

from hypothesis_pytrees.classes.grammar.members import GETATTR, OWN_EQUALITY
from hypothesis_pytrees.classes.grammar.pool import Grammar
from hypothesis_pytrees.classes.grammar.traits import Form, Trait
from hypothesis_pytrees.classes.grammar.writing import Style

_MODE = """\
class NnxMode(enum.Enum):
    ON = 1
    OFF = 2
"""
_INNER = """\
class NnxInner(nnx.Module):
    def __init__(self, x):
        self.x = x
"""
_LOGGING = """\
class NnxLogging:
    level = 1

    def log(self):
        return self.level
"""
_SLOTTED = """\
class NnxSlotted:
    __slots__ = ()
"""
_CALLBACK = """\
class NnxCallback(abc.ABC):
    @abc.abstractmethod
    def called(self):
        ...
"""
_ITEM = "NnxItem = typing.TypeVar('NnxItem')\n"
_CALLED = "def called(self):\n    return 1"
_MIXIN = frozenset({"NnxLogging"})
_ABSTRACT = frozenset({"NnxCallback"})
_GENERIC = frozenset({"typing.Generic"})


def _set(features: str, name: str, value: str = "", body: str = "") -> Trait:
    """Return a trait that sets one attribute to what the constructor is given."""
    argument = name.lstrip("_")
    setup = f"self.{name} = {value or argument}"
    return Trait(features, body, setup=setup, passed=f"{argument}=$")


ATTRIBUTES: tuple[Trait, ...] = (
    _set("second", "second"),
    # In the order of names it comes before the first attribute.
    _set("earlier-name", "another"),
    Trait("text", setup="self.name = 'net'"),
    Trait("numbers", setup="self.size = 3\nself.rate = 0.5\nself.flag = True"),
    Trait("tuple", setup="self.sizes = (2, 3)"),
    Trait("function static", setup="self.activation = jnp.tanh"),
    Trait("nothing", setup="self.missing = None"),
    Trait("enum", setup="self.mode = NnxMode.ON", definitions=(_MODE,)),
    _set("private-name", "_hidden"),
    _set("mangled-name", "__mangled"),
    _set("annotated", "plain", body="plain: typing.Any"),
    _set("annotated-data marked", "declared", body="declared: nnx.Data[typing.Any]"),
    Trait("annotated-static", "fixed: nnx.Static[int]", setup="self.fixed = 3"),
    Trait("static-call marked", setup="self.kept = nnx.static(3)"),
    Trait("data marked", setup="self.wrapped = nnx.data([wrapped])", passed="wrapped=$"),
    Trait("class-attribute", "scale = 2.0"),
    Trait("classvar", "count: typing.ClassVar[int] = 1"),
    _set("list", "items", "nnx.List([items])"),
    _set("dict", "table", "nnx.Dict({'b': table})"),
    Trait(
        "inner",
        setup="self.inner = NnxInner(inner)",
        passed="inner=$",
        definitions=(_INNER,),
    ),
    Trait("rngs", setup="self.rngs = nnx.Rngs(params=0, dropout=1)"),
    Trait("tied", setup="self.encoder = self.x\nself.decoder = self.x"),
    Trait("deleted", setup="self.gone = self.x\ndel self.gone"),
    Trait("by-setattr", setup="setattr(self, 'by_name', by_name)", passed="by_name=$"),
    Trait(
        "by-method",
        "def prepare(self, value):\n    self.prepared = value",
        setup="self.prepare(prepared)",
        passed="prepared=$",
    ),
)
MEMBERS: tuple[Trait, ...] = (
    Trait("call", "def __call__(self, value):\n    return value"),
    Trait("method", "def read(self):\n    return self.x"),
    Trait("class-method", "@classmethod\ndef named(cls):\n    return cls.__name__"),
    Trait("static-method", "@staticmethod\ndef twice(x):\n    return 2 * x"),
    Trait("property", "@property\ndef view(self):\n    return self.x"),
    Trait(
        "setter property",
        """\
@property
def alias(self):
    return self.x

@alias.setter
def alias(self, value):
    self.x = value
""",
    ),
    GETATTR,
    OWN_EQUALITY,
    Trait("falsy", "def __len__(self):\n    return 0"),
    Trait("indexed", "def __getitem__(self, index):\n    return (self.x,)[index]"),
    Trait("operators", "def __add__(self, other):\n    return self"),
    Trait("own-repr", "def __repr__(self):\n    return 'mine'"),
)
_ROOT = frozenset({"root"})
BASES: tuple[Trait, ...] = (
    # A class need not be a Module to hold data.
    # Source: https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/module.html
    Trait("pytree", form=Form("nnx.Pytree"), claims=_ROOT),
    Trait("object", form=Form("nnx.Object"), claims=_ROOT),
    Trait("mixin-first", base="NnxLogging", definitions=(_LOGGING,), claims=_MIXIN),
    Trait("mixin-last", base="NnxLogging", last=True, definitions=(_LOGGING,), claims=_MIXIN),
    Trait("slotted-base", base="NnxSlotted", last=True, definitions=(_SLOTTED,)),
    Trait("abc-first", _CALLED, base="NnxCallback", definitions=(_CALLBACK,), claims=_ABSTRACT),
    Trait(
        "abc-last",
        _CALLED,
        base="NnxCallback",
        last=True,
        definitions=(_CALLBACK,),
        claims=_ABSTRACT,
    ),
    Trait(
        "generic",
        base="typing.Generic[NnxItem]",
        last=True,
        definitions=(_ITEM,),
        claims=_GENERIC,
    ),
    Trait(
        "generic-concrete",
        base="typing.Generic[NnxItem]",
        last=True,
        base_below="{}[int]",
        definitions=(_ITEM,),
        claims=_GENERIC,
    ),
    Trait(
        "init-subclass",
        """\
family: typing.ClassVar[str] = 'none'

def __init_subclass__(cls, family='unnamed', **keywords):
    super().__init_subclass__(**keywords)
    cls.family = family
""",
        keyword_below="family='child'",
    ),
)
NNX_CLASSES = Grammar(
    Style("nnx-module", "nnx:", Form("nnx.Module"), field="", name="Nnx"),
    (*ATTRIBUTES, *MEMBERS, *BASES),
)
