"""Cure: how to fix the cause of a broken law, and which breaches the cause explains."""

from __future__ import annotations

import dataclasses
import fnmatch
import textwrap
from collections.abc import Callable, Iterable

from treelaws.core.failure import Breach
from treelaws.core.mismatch import Mismatch

_WIDTH = 96


def _never(_: BaseException) -> bool:
    return False


@dataclasses.dataclass(frozen=True)
class Cure:
    """How to fix a cause that was observed on a witness.

    Args:
        text: what was observed, and what to change; starts with the method at fault.
        laws: patterns of the ids of laws that the cause breaks with a difference.
        raises: whether an error is due to the cause; default never.
    """

    text: str
    laws: tuple[str, ...] = ()
    raises: Callable[[BaseException], bool] = _never

    def explains(self, breach: Breach) -> bool:
        """Return whether the cause explains a breach."""
        if not isinstance(breach.cause, Mismatch):
            return self.raises(breach.cause)
        return any(fnmatch.fnmatchcase(breach.law.id, pattern) for pattern in self.laws)

    def __str__(self) -> str:
        return textwrap.fill(
            f"fix: {self.text}", _WIDTH, break_long_words=False, break_on_hyphens=False
        )


def says(words: Iterable[str], error: BaseException) -> bool:
    """Return whether the type or the message of an error has one of some words, in any case."""
    text = f"{type(error).__name__}: {error}".lower()
    return any(word.lower() in text for word in words)
