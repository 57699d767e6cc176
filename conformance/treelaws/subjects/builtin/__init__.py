"""The libraries and node types that ship with the suite, one module per library."""

from __future__ import annotations

import functools
import importlib

from treelaws.core import subject as added
from treelaws.core.settings import LIBRARIES
from treelaws.core.subject import Subject


@functools.cache
def load() -> None:
    """Add every subject of the suite; this imports no library except JAX."""
    for library in LIBRARIES:
        importlib.import_module(f"{__name__}.{library}")


def library(family: str) -> Subject:
    """Return the subject of a library of the suite."""
    load()
    return added.known()[family]
