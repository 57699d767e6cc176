"""The libraries that `--library` names."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from treelaws.core.close_names import did_you_mean
from treelaws.core.settings import LIBRARIES

# Flax includes NNX; trees that mix libraries have a name of their own.
_PARTS = {"flax": ("flax", "nnx")}


def check_libraries(option: str, names: Iterable[str]) -> None:
    """Raise for a library that has no laws.

    Args:
        option: the option that names it.
        names: the names.

    Raises:
        pytest.UsageError: no laws are about a library of that name.
    """
    for name in names:
        if name not in LIBRARIES:
            hint = did_you_mean(name.lower(), LIBRARIES, most=1)
            allowed = f"{hint}{' ' if hint else ''}choose from {', '.join(LIBRARIES)}"
            raise pytest.UsageError(f"{option}: unknown {name!r}; {allowed}")


def homes(names: Iterable[str]) -> frozenset[str]:
    """Return the homes of the subjects of some libraries.

    Args:
        names: entries of `LIBRARIES`.
    """
    return frozenset(part for name in names for part in _PARTS.get(name, (name,)))
