"""The grammar of `flax.struct` dataclasses, by decorator and by base class."""

from __future__ import annotations

import dataclasses

from .bases import BASES, REDECLARED
from .dataclass_options import (
    ABSTRACT,
    CONSTRUCTION,
    NO_COMPARE,
    OPTIONS,
    REPLACED,
    SLOTS,
    STATIC_CHECKED,
    frozen_or_not,
)
from .fields import DATA, STATIC_FIELDS
from .members import ITEMS, MEMBERS
from .pool import Grammar
from .traits import Declared, Form, Trait
from .writing import Style


def _decorated(options: str, fields: Declared) -> str:
    return f"@flax.struct.dataclass{options}\n"


_DECORATED = Form(
    decorated=_decorated,
    field="flax.struct.field(",
    static="flax.struct.field(pytree_node=False, ",
    feature="decorated",
)
# The options of such a class are class keywords. No release takes `slots` as one: see the finding
# `nodes_by_keyword_have_no_slots`.
_BY_BASE = Trait(
    "base-class",
    form=dataclasses.replace(_DECORATED, root="flax.struct.PyTreeNode", decorated=None, feature=""),
    clashes=frozenset({"__slots__"}),
)
_GENERIC_FIRST = Trait(
    "generic-first generic",
    base="typing.Generic[Item]",
    definitions=("Item = typing.TypeVar('Item')\n",),
    claims=frozenset({"typing.Generic"}),
)
_STATIC_METADATA = Trait(
    "static-metadata static metadata default",
    "scale: int = flax.struct.field(pytree_node=False, metadata={'unit': 'm'}, default=2)",
)
# "The arguments of the constructor and the attributes of the created instance match 1:1", so that
# no field has `init=False`, none is an `InitVar`, and `__post_init__` sets nothing.
# Source: https://flax.readthedocs.io/en/latest/api_reference/flax.struct.html
STRUCT_CLASSES = Grammar(
    Style("flax-struct", "struct:", _DECORATED, field="x: typing.Any", name="Fx"),
    (
        *DATA,
        NO_COMPARE,
        *STATIC_FIELDS,
        _STATIC_METADATA,
        _BY_BASE,
        *frozen_or_not(default=True),
        *OPTIONS,
        *SLOTS,
        *CONSTRUCTION,
        STATIC_CHECKED,
        *MEMBERS,
        *ITEMS,
        *BASES,
        _GENERIC_FIRST,
        ABSTRACT,
        REPLACED,
        *REDECLARED,
    ),
    often=("base-class",),
    most=8,
)
