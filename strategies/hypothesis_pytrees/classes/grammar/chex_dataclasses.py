"""The grammar of `chex.dataclass` classes, mappable or not."""

from __future__ import annotations

import dataclasses

from .bases import BASES
from .dataclass_options import (
    ABSTRACT,
    CHECKED,
    CONSTRUCTION,
    INIT_VAR,
    NO_COMPARE,
    OPTIONS,
    POST_INIT,
    REPLACED,
    frozen_or_not,
)
from .fields import DATA
from .members import ITEMS, MEMBERS
from .pool import Grammar
from .traits import Declared, Form, Trait
from .writing import Style


def _mappable(options: str, fields: Declared) -> str:
    return f"@chex.dataclass{options}\n"


def _plain(options: str, fields: Declared) -> str:
    more = f"{options[1:-1]}, " if options else ""
    return f"@chex.dataclass({more}mappable_dataclass=False)\n"


# The constructor of a mappable class takes keyword arguments only.
# Source: https://github.com/google-deepmind/chex/blob/v0.1.92/chex/_src/dataclass.py
_MAPPABLE = Form(decorated=_mappable, by_keyword=True, feature="mappable")
_PLAIN = Form(decorated=_plain, feature="plain")
# A class "must be constructable from keyword arguments corresponding to the members exposed in
# `instance.__dict__`", which a field with `init=False` is one of: a mappable class takes it.
# Source: `register_dataclass_type_with_jax_tree_util` in the same file.
_MADE = Trait(
    "init-false default",
    "kept: int = FIELD(init=False, default=7)",
    clashes=frozenset({"plain"}),
)
# In a mappable class, `super()` fails: see the finding `chex_mappable_classes_are_made_twice`. A
# class that cannot be built would hide its other traits.
_SUPER = Trait(
    "post-init-super post-init plain",
    CHECKED,
    """\
def __post_init__(self):
    super().__post_init__()
""",
    form=_PLAIN,
    claims=POST_INIT,
)
CHEX_CLASSES = Grammar(
    Style("chex-dataclass", "chex:", _MAPPABLE, field="x: typing.Any", name="Cx"),
    (
        *DATA,
        NO_COMPARE,
        Trait("plain", form=_PLAIN),
        *frozen_or_not(default=False),
        *OPTIONS,
        *CONSTRUCTION,
        INIT_VAR,
        _MADE,
        _SUPER,
        *MEMBERS,
        # A mappable class has methods of a mapping in the place of these.
        # Source: the same.
        *(dataclasses.replace(one, features=f"{one.name} plain", form=_PLAIN) for one in ITEMS),
        *BASES,
        ABSTRACT,
        REPLACED,
    ),
    often=("plain",),
    most=9,
)
