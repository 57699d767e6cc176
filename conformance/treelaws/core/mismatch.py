"""A law that does not hold for an input: what differs, where, and how it is printed."""

from __future__ import annotations

from typing import Any


class Mismatch(AssertionError):
    """A law does not hold for an input.

    Args:
        where: key path of the first difference, empty for the whole value.
        aspect: what differs: `"structure"`, `"static value"`, `"type"`, `"dtype"`, `"value"`, ...
        got: what the subject gave, printed.
        wanted: what the law wants, printed.
    """

    def __init__(self, where: str, aspect: str, got: str, wanted: str) -> None:
        self.where, self.aspect, self.got, self.wanted = where, aspect, got, wanted
        super().__init__(where, aspect, got, wanted)

    def add_values(self, got: str, wanted: str) -> None:
        """Show the whole values below what differs in their structures."""
        self.got += f"\n      of  {got}"
        self.wanted += f"\n      of  {wanted}"

    def __str__(self) -> str:
        place = f"at {self.where}: " if self.where else ""
        return f"{place}{self.aspect}\n  got     {self.got}\n  wanted  {self.wanted}"


def shown(value: Any, limit: int = 300) -> str:
    """Print a value on one line, also one whose `repr` raises."""
    try:
        text = " ".join(repr(value).split())
    except Exception as raised:
        text = f"<{type(value).__name__}, whose repr raises {type(raised).__name__}>"
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def first_line(error: BaseException) -> str:
    """Give the first line of an error's message."""
    return (str(error).splitlines() or [""])[0]
