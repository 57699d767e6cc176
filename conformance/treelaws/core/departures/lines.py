"""Finds the lines that an entry takes in a TOML file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treelaws.compat import toml


def lines_of(text: str, entry: Sequence[str]) -> tuple[int, int] | None:
    """Return the first and the last line of an entry, counted from 1.

    Comments that touch its header from above belong to it, those above the next header to the
    next. Returns `None` if no header names the entry, as for an inline table.

    Args:
        text: content of a valid TOML file.
        entry: name of the entry, behind those of the tables that it is in.
    """
    lines = text.splitlines()
    headers = [index for index, line in enumerate(lines) if line.lstrip().startswith("[")]
    wanted = tuple(entry)
    paths = {
        index: path
        for index in headers
        if (path := _path(lines[index])) and _is_complete(lines[:index])
    }
    own = [index for index, path in paths.items() if path[: len(wanted)] == wanted]
    if not own:
        return None
    behind = next((index for index in paths if index > own[-1]), len(lines))
    last = _above(lines, behind) if behind < len(lines) else behind
    while not lines[last - 1].strip():
        last -= 1
    return _above(lines, own[0]) + 1, last


def _path(line: str) -> tuple[str, ...]:
    """Return the names in a header; empty if the line is none."""
    try:
        told: Any = toml.loads(line)
    except toml.TOMLDecodeError:
        return ()
    names = []
    while isinstance(told, dict) and told:
        ((name, told),) = told.items()
        names.append(name)
    return tuple(names)


def _is_complete(lines: Sequence[str]) -> bool:
    """Return whether no string or array is open after these lines."""
    try:
        toml.loads("\n".join(lines))
    except toml.TOMLDecodeError:
        return False
    return True


def _above(lines: Sequence[str], header: int) -> int:
    """Return the index of the first of the comments that touch a header from above."""
    while header and lines[header - 1].lstrip().startswith("#"):
        header -= 1
    return header
