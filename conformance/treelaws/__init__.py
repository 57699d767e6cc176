"""Property-based conformance suite for PyTrees in the JAX ecosystem.

Attributes are imported on first use: importing the package imports neither jax nor hypothesis.
"""

from __future__ import annotations

import importlib
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api.check import check
    from .api.records import ConformanceError, ConformanceWarning, Record
    from .core.failure import Breach, UnexpectedError
    from .core.law import Case, Law, Topic
    from .core.mismatch import Mismatch
    from .core.search import search
    from .core.subject import Subject
    from .equality import differ, equal, refuses, same, true
    from .laws import all_laws
    from .pytest_plugin.law_tests import law_tests
    from .pytest_plugin.parametrize import parametrize
    from .subjects.registry import register

_HOMES = {
    "Breach": "core.failure",
    "Case": "core.law",
    "ConformanceError": "api.records",
    "ConformanceWarning": "api.records",
    "Law": "core.law",
    "Mismatch": "core.mismatch",
    "Record": "api.records",
    "Subject": "core.subject",
    "Topic": "core.law",
    "UnexpectedError": "core.failure",
    "all_laws": "laws",
    "check": "api.check",
    "differ": "equality",
    "equal": "equality",
    "law_tests": "pytest_plugin.law_tests",
    "parametrize": "pytest_plugin.parametrize",
    "refuses": "equality",
    "register": "subjects.registry",
    "same": "equality",
    "search": "core.search",
    "true": "equality",
}
# Names of release 0.1, kept for one release.
_RENAMED = {
    "Broken": "ConformanceError",
    "BrokenWarning": "ConformanceWarning",
    "LawBroken": "Mismatch",
}
__all__ = [
    "Breach",
    "Case",
    "ConformanceError",
    "ConformanceWarning",
    "Law",
    "Mismatch",
    "Record",
    "Subject",
    "Topic",
    "UnexpectedError",
    "all_laws",
    "check",
    "differ",
    "equal",
    "law_tests",
    "parametrize",
    "refuses",
    "register",
    "same",
    "search",
    "true",
]


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        new = _RENAMED[name]
        warnings.warn(f"treelaws.{name} is now treelaws.{new}", DeprecationWarning, stacklevel=2)
        name = new
    if name not in _HOMES:
        raise AttributeError(f"module 'treelaws' has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
