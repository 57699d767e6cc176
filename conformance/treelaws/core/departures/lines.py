"""Finds the lines that an entry takes in a TOML file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tomlkit
from tomlkit.items import Comment, Table


def lines_of(text: str, name: str) -> tuple[int, int] | None:
    """Return the first and the last line of an entry, counted from 1.

    Comments that touch its header from above belong to it, those above the next header to the
    next. Returns `None` if no header names the entry, as for an inline table.

    Args:
        text: content of a valid TOML file.
        name: name of the entry.
    """
    body = tomlkit.parse(text).body
    # A sub-table after another entry is an item of its own.
    own = [
        index
        for index, (key, item) in enumerate(body)
        if key is not None and key.key == name and isinstance(item, Table)
    ]
    if not own:
        return None
    first, behind = own[0], own[-1] + 1
    lines = _rendered(text, behind).split("\n")
    # The text of complete lines ends with an empty line.
    last = len(lines) - (_last_comments(body[:behind]) + 1 if behind < len(body) else 0)
    while not lines[last - 1].strip():
        last -= 1
    return _rendered(text, first).count("\n") + 1 - _last_comments(body[:first]), last


def _rendered(text: str, items: int) -> str:
    """Return the part of a TOML text that its first top-level items take."""
    document = tomlkit.parse(text)
    del document.body[items:]
    return document.as_string()


def _last_comments(body: Sequence[tuple[Any, Any]]) -> int:
    """Count the lines of comments at the end of a body, or of the table that ends it."""
    count = 0
    for _, item in reversed(body):
        if isinstance(item, Table):
            return count + _last_comments(item.value.body)
        if not isinstance(item, Comment):
            return count
        count += 1
    return count
