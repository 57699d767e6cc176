"""`--calls FILE`: counts how laws call the public functions of the libraries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .counts import Counter, Recorder, checked


def counter(file: str, callers: tuple[str, ...] = (), *, option: str = "--calls") -> Counter:
    """Return the plugin for the value of the option.

    Args:
        file: the file to write.
        callers: the beginnings of the names of the files whose calls count; default those of laws
            and recipes.
        option: the option.

    Raises:
        pytest.UsageError: the folder of the file does not exist.
    """

    def make() -> Recorder:
        from treelaws.strength.coverage import recorder
        from treelaws.strength.coverage.inventory import installed

        return recorder.Recorder(installed(), **({"files": callers} if callers else {}))

    return Counter(option, checked(option, file), make, _joined)


def _joined(parts: Iterable[Any]) -> Any:
    from treelaws.strength.coverage.recorder import joined

    return joined(parts)
