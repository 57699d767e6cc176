"""`--inputs FILE`: notes which features the inputs of laws have together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .counts import Counter, Recorder, checked

_OPTION = "--inputs"


def counter(file: str) -> Counter:
    """Return the plugin for the value of the option.

    Args:
        file: the file to write.

    Raises:
        pytest.UsageError: the folder of the file does not exist.
    """

    def make() -> Recorder:
        from treelaws.strength.pairs.recorder import InputRecorder

        return InputRecorder()

    return Counter(_OPTION, checked(_OPTION, file), make, _joined)


def _joined(parts: Iterable[Any]) -> Any:
    from treelaws.strength.pairs.recorder import joined

    return joined(parts)
