"""Every kind of `eqx.Module`, simple ones first."""

from __future__ import annotations

from hypothesis_pytrees.core.kinds import Kind

from .grammar.modules import MODULE_CLASSES
from .module_callables import CALLABLES
from .module_specials import PLAIN_KIND, SPECIALS

# Each class with one feature, and what a class of the grammar cannot be.
SIMPLE: tuple[Kind, ...] = (PLAIN_KIND, *MODULE_CLASSES.alone(), *SPECIALS)
MODULES: tuple[Kind, ...] = (
    *SIMPLE,
    *CALLABLES,
    *MODULE_CLASSES.above_and_below(),
    *MODULE_CLASSES.of_run(),
)
