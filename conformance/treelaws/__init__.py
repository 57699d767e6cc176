"""Property-based conformance suite for PyTrees in the JAX ecosystem.

Names load on first use: importing the package imports neither jax nor hypothesis.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .checking import Broken, BrokenWarning, Record, check
    from .checks import LawBroken, differ, refuses, same, true
    from .failure import Breach, UnexpectedError
    from .law import Case, Law, Topic, all_laws
    from .parametrizing import parametrize
    from .running import search
    from .subjects import Subject, register
    from .testing import law_tests

_HOMES = {
    "Breach": "failure",
    "Broken": "checking",
    "BrokenWarning": "checking",
    "Case": "law",
    "Law": "law",
    "LawBroken": "checks",
    "Record": "checking",
    "Subject": "subjects",
    "Topic": "law",
    "UnexpectedError": "failure",
    "all_laws": "law",
    "check": "checking",
    "differ": "checks",
    "law_tests": "testing",
    "parametrize": "parametrizing",
    "refuses": "checks",
    "register": "subjects",
    "same": "checks",
    "search": "running",
    "true": "checks",
}
__all__ = [
    "Breach",
    "Broken",
    "BrokenWarning",
    "Case",
    "Law",
    "LawBroken",
    "Record",
    "Subject",
    "Topic",
    "UnexpectedError",
    "all_laws",
    "check",
    "differ",
    "law_tests",
    "parametrize",
    "refuses",
    "register",
    "same",
    "search",
    "true",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'treelaws' has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
