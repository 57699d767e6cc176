"""Every kind of `eqx.Module`, simple ones first."""

from __future__ import annotations

from hypothesis_pytrees.core.kinds import Kind

from .module_callables import CACHED, CALLABLES
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
from .module_inheritance import INHERITANCE, INIT_SUBCLASS
from .module_kinds import empty_subclass
from .module_pairs import PAIRS

# `class B(A): pass` has to behave as A: one for each feature that a class can fail to hand down.
BARE_SUBCLASSES: tuple[Kind, ...] = tuple(
    empty_subclass(kind)
    for kind in (
        CONVERTER,
        POST_INIT,
        CONVERTER_POST_INIT,
        CHECK_INIT,
        COUNTED,
        UNSET,
        CACHED,
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
