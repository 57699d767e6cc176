"""The grammar of `eqx.Module` classes."""

from __future__ import annotations

from .bases import BASES, SUBCLASSED
from .construction import CONSTRUCTION
from .fields import FIELDS
from .members import MEMBERS
from .pool import Grammar
from .writing import Style

MODULE_CLASSES = Grammar(
    Style("module", "module:", "eqx.Module", field="x: typing.Any", name=""),
    (*FIELDS, *CONSTRUCTION, *MEMBERS, *BASES, *SUBCLASSED),
    inherited=frozenset(
        ("static", "converter", "kw-only", "cached-property", "post-init", "check-init", "init")
    ),
)
