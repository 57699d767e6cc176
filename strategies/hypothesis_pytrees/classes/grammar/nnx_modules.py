"""The grammar of `nnx.Module` classes: what `__init__` sets, methods, and further bases.

No two traits use one name, and no code but that of properties reads an attribute, which may be
anything.
"""

from __future__ import annotations

from hypothesis_pytrees.classes.grammar.bases import BASES
from hypothesis_pytrees.classes.grammar.members import ITEMS, MEMBERS
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
# Without `cached_property` and `__eq__` alone: what a Module keeps of itself is its state, and no
# document says that a Module needs no hash. Looping over a Module may mean its children.
_LEFT_OUT = ("cached-property", "equal-to-nothing", "iterated")
_SHARED = tuple(one for one in (*MEMBERS, *ITEMS, *BASES) if one.name not in _LEFT_OUT)
_ROOT = frozenset({"root"})
# A class need not be a Module to hold data.
# Source: https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/module.html
ROOTS: tuple[Trait, ...] = (
    Trait("pytree", form=Form("nnx.Pytree"), claims=_ROOT),
    Trait("object", form=Form("nnx.Object"), claims=_ROOT),
)
NNX_CLASSES = Grammar(
    Style("nnx-module", "nnx:", Form("nnx.Module"), field="", name="Nnx"),
    (*ATTRIBUTES, *_SHARED, *ROOTS),
)
