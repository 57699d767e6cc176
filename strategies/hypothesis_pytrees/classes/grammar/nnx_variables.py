"""The grammar of users' Variable types of Flax NNX: their bases, methods and attributes.

A user makes a type of their own by subclassing one of the library's.
Source: https://flax.readthedocs.io/en/latest/guides/filters_guide.html
"""

from __future__ import annotations

from hypothesis_pytrees.classes.grammar import bases, members
from hypothesis_pytrees.classes.grammar.pool import Grammar
from hypothesis_pytrees.classes.grammar.traits import Form, Trait
from hypothesis_pytrees.classes.grammar.writing import Style

_INIT = frozenset({"__init__"})


def _of_library(feature: str, base: str) -> Trait:
    """Return a trait of subclasses of one of the types that the library has."""
    return Trait(feature, form=Form(base), claims=frozenset({"type of the library"}))


TYPES: tuple[Trait, ...] = (
    _of_library("param", "nnx.Param"),
    _of_library("batch-stat", "nnx.BatchStat"),
    _of_library("cache", "nnx.Cache"),
    _of_library("intermediate", "nnx.Intermediate"),
)
MEMBERS: tuple[Trait, ...] = (
    Trait("class-attribute", "decay = 0.5"),
    Trait("classvar", "limit: typing.ClassVar[int] = 3"),
    Trait("annotation", "role: str"),
    Trait("method", "def described(self, by: int = 0):\n    return by"),
    Trait("property", "@property\ndef label(self):\n    return 'label'"),
    Trait(
        "init",
        "def __init__(self, value, **metadata):\n    super().__init__(value, **metadata)",
        claims=_INIT,
    ),
    Trait(
        "init-metadata init",
        """\
def __init__(self, value, *, source='user', **metadata):
    super().__init__(value, source=source, **metadata)
""",
        claims=_INIT,
    ),
)
_OF_ANY_CLASS = ("class-method", "static-method", "own-repr")
_BASES = ("mixin-first", "mixin-last", "slotted-base", "generic")
_SHARED = tuple(
    one for one in (*members.MEMBERS, *bases.BASES) if one.name in (*_OF_ANY_CLASS, *_BASES)
)
NNX_VARIABLE_CLASSES = Grammar(
    Style(
        "variable",
        "variable-type:",
        Form("nnx.Variable"),
        field='"""A type of Variable."""',
        name="NnxVariable",
    ),
    (*TYPES, *MEMBERS, *_SHARED),
)
