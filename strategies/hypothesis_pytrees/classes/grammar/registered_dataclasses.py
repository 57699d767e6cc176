"""The grammar of dataclasses that `jax.tree_util.register_dataclass` registers."""

from __future__ import annotations

import dataclasses

from hypothesis_pytrees.core.releases import INFERRED_FIELDS

from .bases import BASES, REDECLARED
from .dataclass_options import (
    ABSTRACT,
    CONSTRUCTION,
    INIT_VAR,
    NO_COMPARE,
    OPTIONS,
    POST_INIT,
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


def _listed(options: str, fields: Declared) -> str:
    names = f"data_fields={[*fields.data]}, meta_fields={[*fields.static]}"
    dropped = f", drop_fields={[*fields.dropped]}" if fields.dropped else ""
    return _registered(f"{names}{dropped}", options)


def _reordered(options: str, fields: Declared) -> str:
    return _listed(options, fields._replace(data=fields.data[::-1], static=fields.static[::-1]))


def _inferred(options: str, fields: Declared) -> str:
    # Without lists, a field that the constructor does not take has to be dropped.
    dropped = [*fields.dropped, *fields.made]
    return _registered(f"drop_fields={dropped}" if dropped else "", options)


def _registered(arguments: str, options: str) -> str:
    called = f"functools.partial(jtu.register_dataclass, {arguments})"
    return (
        f"@{called if arguments else 'jtu.register_dataclass'}\n@dataclasses.dataclass{options}\n"
    )


def _passed(trait: Trait) -> Trait:
    """Return a trait whose field is passed a child: nodes hold no leaves but those drawn."""
    features = trait.features.split()
    if "default" not in features or "static" in features:
        return trait
    features = [one for one in features if one != "default"] or ["default"]
    passed = f"{trait.body.partition(':')[0]}=$"
    return dataclasses.replace(trait, features=" ".join(features), passed=passed)


_LISTED = Form(decorated=_listed, static="dataclasses.field(", feature="listed-fields")
_FORMS: tuple[Trait, ...] = (
    Trait(
        "inferred-fields",
        form=dataclasses.replace(
            _LISTED,
            decorated=_inferred,
            static="dataclasses.field(metadata={'static': True}, ",
            feature="",
        ),
        claims=frozenset({"form"}),
        needs=(INFERRED_FIELDS,),
    ),
    Trait(
        "reordered",
        form=dataclasses.replace(_LISTED, decorated=_reordered),
        claims=frozenset({"form"}),
    ),
)
# "Class attributes represent the whole of the object state, and can be passed as keywords to the
# class constructor to create a copy of the object": what the constructor makes is the same for all
# instances, and an `InitVar` has a default.
# Source: https://docs.jax.dev/en/latest/_autosummary/jax.tree_util.register_dataclass.html
_OWN: tuple[Trait, ...] = (
    Trait("None-child", "empty: typing.Any = None"),
    Trait("drop-fields", "cache: typing.Any = DROPPED(default=None)"),
    Trait("init-false", "kept: int = FIELD(init=False, default=7)"),
    Trait(
        "post-init-set post-init init-false",
        """\
seen: str = FIELD(init=False)

def __post_init__(self):
    object.__setattr__(self, 'seen', 'made')
""",
        claims=POST_INIT,
    ),
)
REGISTERED_CLASSES = Grammar(
    Style("register_dataclass", "node:", _LISTED, field="x: typing.Any", name="Data"),
    (
        *map(_passed, DATA),
        NO_COMPARE,
        *STATIC_FIELDS,
        *_FORMS,
        *frozen_or_not(default=False),
        *OPTIONS,
        *SLOTS,
        *CONSTRUCTION,
        STATIC_CHECKED,
        *_OWN,
        INIT_VAR,
        *MEMBERS,
        *ITEMS,
        *BASES,
        ABSTRACT,
        REPLACED,
        *map(_passed, REDECLARED),
    ),
    often=("inferred-fields",),
    most=9,
)
