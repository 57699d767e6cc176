"""`eqx.Module` classes and their instances, simple ones first, and which of them a release takes."""

from __future__ import annotations

import weakref
from collections.abc import Sequence

from .kinds import Kind
from .module_callables import CACHED, CALLABLES, DECORATED
from .module_construction import (
    CHECK_INIT,
    CONSTRUCTION,
    CONVERTER,
    CONVERTER_POST_INIT,
    COUNTED,
    POST_INIT,
    UNSET,
)
from .module_fields import FIELDS
from .module_inheritance import INHERITANCE, INIT_SUBCLASS, MIXIN_FIRST, SUBSCRIPTED
from .module_kinds import bare_subclass
from .module_pairs import PAIRS
from .recipe import Namespace, Recipe, default_namespace

# `class B(A): pass` has to behave as A: one for each feature that a class can fail to hand down.
BARE_SUBCLASSES: tuple[Kind, ...] = tuple(
    bare_subclass(kind)
    for kind in (
        CONVERTER,
        POST_INIT,
        CONVERTER_POST_INIT,
        CHECK_INIT,
        COUNTED,
        UNSET,
        CACHED,
        DECORATED,
        MIXIN_FIRST,
        INIT_SUBCLASS,
    )
)
MODULES: tuple[Kind, ...] = (
    *FIELDS,
    *CONSTRUCTION,
    *CALLABLES,
    *INHERITANCE,
    *BARE_SUBCLASSES,
    *PAIRS,
)

_outcomes: weakref.WeakKeyDictionary[Namespace, dict[Kind, Exception | None]] = (
    weakref.WeakKeyDictionary()
)


def _outcome(kind: Kind, namespace: Namespace) -> Exception | None:
    """Build the kind with the child `1.0`, once a namespace, and give what was raised."""
    known = _outcomes.setdefault(namespace, {})
    if kind not in known:
        recipe = Recipe(kind.definitions, (), kind.text(["1.0"] * kind.arity))
        try:
            recipe.build(namespace)
        except Exception as error:
            # The frames hold the namespace, which would keep this table's key alive for ever.
            known[kind] = error.with_traceback(None)
        else:
            known[kind] = None
    return known[kind]


def usable(kinds: Sequence[Kind], namespace: Namespace | None = None) -> tuple[Kind, ...]:
    """Give the kinds that build with the child `1.0`; `refusals` tells why the others do not.

    Args:
        kinds: what to try, for example `MODULES`; each is tried once a namespace.
        namespace: which libraries to try with; by default the installed ones.
    """
    target = namespace or default_namespace()
    return tuple(kind for kind in kinds if _outcome(kind, target) is None)


def refusals(kinds: Sequence[Kind], namespace: Namespace | None = None) -> dict[Kind, Exception]:
    """Give the kinds that do not build with the child `1.0`, and the exception of each.

    Args:
        kinds: what to try, for example `MODULES`; each is tried once a namespace.
        namespace: which libraries to try with; by default the installed ones.
    """
    target = namespace or default_namespace()
    outcomes = {kind: _outcome(kind, target) for kind in kinds}
    return {kind: error for kind, error in outcomes.items() if error is not None}
