"""The grammar of `eqx.Module` classes."""

from __future__ import annotations

from hypothesis_pytrees.core.releases import FIVE_UNSET_FIELDS

from . import bases, fields
from .construction import CONSTRUCTION
from .members import DECORATED, ITEMS, MEMBERS
from .pool import Grammar
from .traits import Form
from .writing import Style

_FORM = Form("eqx.Module", field="eqx.field(", static="eqx.field(static=True, ")
MODULE_CLASSES = Grammar(
    Style("module", "module:", _FORM, field="x: typing.Any", name=""),
    (
        *fields.DATA,
        *fields.STATIC_FIELDS,
        *fields.OF_MODULES,
        *CONSTRUCTION,
        *MEMBERS,
        *ITEMS,
        *DECORATED,
        *bases.BASES,
        *bases.REDECLARED,
        *bases.OF_MODULES,
    ),
    inherited=frozenset(
        ("static", "converter", "kw-only", "cached-property", "post-init", "check-init", "init")
    ),
    # Elsewhere each map changes the structure, which breaks almost any law: see the finding
    # `unflatten_stores_missing_as_metadata`.
    unset=(5, FIVE_UNSET_FIELDS),
)
