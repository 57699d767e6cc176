"""Mismatch: the difference that shows that a law does not hold for an input."""

from __future__ import annotations

from typing import Any


class Mismatch(AssertionError):
    """A law does not hold for an input.

    Args:
        where: key path of the first difference, empty for the whole value.
        aspect: what differs: `"structure"`, `"static value"`, `"type"`, `"dtype"`, `"value"`, ...
        got: the result of the subject, printed.
        wanted: the result that the law expects, printed.
    """

    def __init__(self, where: str, aspect: str, got: str, wanted: str) -> None:
        self.where, self.aspect, self.got, self.wanted = where, aspect, got, wanted
        super().__init__(where, aspect, got, wanted)

    def add_values(self, got: str, wanted: str) -> None:
        """Append the whole values to a difference between their structures."""
        self.got += f"\n      of  {got}"
        self.wanted += f"\n      of  {wanted}"

    def __str__(self) -> str:
        place = f"at {self.where}: " if self.where else ""
        return f"{place}{self.aspect}\n  got     {self.got}\n  wanted  {self.wanted}"


def shown(value: Any, limit: int = 300) -> str:
    """Return a value as one line of text, even if its `repr` raises."""
    try:
        text = " ".join(repr(value).split())
    except Exception as raised:
        text = f"<{type(value).__name__}, whose repr raises {type(raised).__name__}>"
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def first_line(error: BaseException) -> str:
    """Return the first line of the message of an error, even if its `str` raises."""
    try:
        text = str(error)
    except Exception as raised:
        text = f"its str raises {type(raised).__name__}"
    return (text.splitlines() or [""])[0]
