"""Mismatch: the difference that shows that a law does not hold for an input."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from .limits.time_limit import ends_the_run

_LIMIT = 300
# How much of a long text comes before the place that differs.
_BEFORE = 100
_MOST_LINES = 15
# An address that a cut has shortened, which nothing could recognise later.
_CUT_ADDRESS = re.compile(r"(?: at)? 0x[0-9a-fA-F]*$")


class Mismatch(AssertionError):
    """A law does not hold for an input.

    Args:
        where: key path of the first difference, empty for the whole value.
        aspect: what differs: `"structure"`, `"static value"`, `"type"`, `"dtype"`, `"value"`, ...
        got: the result of the subject, printed.
        wanted: the result that the law expects, printed; if it is the same text, the report says
            so.
    """

    def __init__(self, where: str, aspect: str, got: str, wanted: str) -> None:
        if got == wanted:
            wanted = f"{wanted}, another value that prints the same"
        self.where, self.aspect, self.got, self.wanted = where, aspect, got, wanted
        super().__init__(where, aspect, got, wanted)

    def __str__(self) -> str:
        place = f"at {self.where}: " if self.where else ""
        return f"{place}{self.aspect}\n  got     {self.got}\n  wanted  {self.wanted}"


def shown(value: Any, limit: int = _LIMIT) -> str:
    """Return a value as one line of text, even if its `repr` raises."""
    text = whole(value)
    if len(text) <= limit:
        return text
    return f"{_CUT_ADDRESS.sub('', text[: limit - 3])}..."


def shown_beside(value: Any, other: Any, limit: int = _LIMIT) -> str:
    """Return a value as one line of text; a long one is cut around the difference from another.

    Args:
        value: the value to print.
        other: the value that it is compared with.
        limit: number of characters after which a text is cut, default 300.
    """
    text, beside = whole(value), whole(other)
    pairs = enumerate(zip(text, beside, strict=False))
    first = next((at for at, (a, b) in pairs if a != b), min(len(text), len(beside)))
    if len(text) <= limit or first < limit - _BEFORE:
        return shown(value, limit)
    start = first - _BEFORE
    end = start + limit - 6
    cut = _CUT_ADDRESS.sub("", text[start:end])
    return f"...{cut}{'...' if end < len(text) else ''}"


def whole(value: Any) -> str:
    """Return a value as one line of text of any length, even if its `repr` raises."""
    try:
        return " ".join(repr(value).split())
    except BaseException as raised:
        if ends_the_run(raised):
            raise
        return f"<{type(value).__name__}, whose repr raises {type(raised).__name__}>"


def first_line(error: BaseException) -> str:
    """Return the first line of the message of an error, even if its `str` raises."""
    return (_text(error).splitlines() or [""])[0]


def message(error: BaseException, indent: int = 0) -> str:
    """Return the message of an error, at most 15 lines of it.

    Args:
        error: the error.
        indent: number of spaces before each line but the first; default 0.
    """
    lines = [line.rstrip() for line in _text(error).strip().splitlines()] or [""]
    if len(lines) > _MOST_LINES:
        lines = [*lines[:_MOST_LINES], f"... {len(lines) - _MOST_LINES} more lines"]
    return "\n".join([lines[0], *(f"{' ' * indent}{line}".rstrip() for line in lines[1:])])


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException as raised:
        if ends_the_run(raised):
            raise
        return f"its str raises {type(raised).__name__}"


_brief: ContextVar[bool] = ContextVar("_brief", default=False)


@contextlib.contextmanager
def brief() -> Iterator[None]:
    """Within it, `str()` of a breach is its first line.

    Hypothesis and pytest format each error that they pass on, and a whole report tries the fixes.
    """
    token = _brief.set(True)
    try:
        yield
    finally:
        _brief.reset(token)


def are_brief() -> bool:
    """Return whether `str()` of a breach is its first line."""
    return _brief.get()
