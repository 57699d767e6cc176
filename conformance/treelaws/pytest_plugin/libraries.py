"""`--library` runs only the laws of some libraries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from treelaws.core.close_names import did_you_mean
from treelaws.core.settings import LIBRARIES

from .items import is_law, subject_of

# Flax includes NNX; trees that mix libraries have a name of their own.
_PARTS = {"flax": ("flax", "nnx")}


def check_libraries(names: Iterable[str]) -> None:
    """Raise for a library that has no laws.

    Raises:
        pytest.UsageError: no laws are about a library of that name.
    """
    for name in names:
        if name not in LIBRARIES:
            hint = did_you_mean(name.lower(), LIBRARIES, most=1)
            allowed = f"{hint}{' ' if hint else ''}choose from {', '.join(LIBRARIES)}"
            raise pytest.UsageError(f"--library: unknown {name!r}; {allowed}")


class Libraries:
    """Deselects the laws of other libraries; tests that are not laws stay.

    Args:
        names: entries of `LIBRARIES`.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._homes = {part for name in names for part in _PARTS.get(name, (name,))}

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Deselect the tests of laws whose subject belongs to another library."""
        dropped = {item for item in items if is_law(item) and not self._wants(item)}
        if dropped:
            config.hook.pytest_deselected(items=list(dropped))
            items[:] = [item for item in items if item not in dropped]

    def _wants(self, item: pytest.Item) -> bool:
        from treelaws.subjects.registry import subject

        return subject(subject_of(item)).home in self._homes
