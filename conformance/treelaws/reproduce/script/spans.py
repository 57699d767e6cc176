"""Takes elements and lines out of a text, which otherwise stays as it was written."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from .syntax import Position, span


def offset(text: str, position: Position) -> int:
    """Give the number of bytes before a position."""
    lines = text.encode().splitlines(keepends=True)
    return sum(map(len, lines[: position[0] - 1])) + position[1]


def replaced(text: str, start: int, end: int, new: str) -> str:
    """Put another text between two offsets in bytes."""
    data = text.encode()
    return (data[:start] + new.encode() + data[end:]).decode()


def part_of(text: str, node: ast.AST) -> str:
    """Give the text of a node."""
    start, end = (offset(text, position) for position in span(node))
    return text.encode()[start:end].decode()


def without(text: str, items: Sequence[ast.AST], index: int, *, pair: bool = False) -> str:
    """Take one of several items, parted by commas, out of a text.

    Args:
        text: the text.
        items: all of them, in order.
        index: which of them to take out.
        pair: of a tuple of two, what is left needs its comma; default `False`.
    """
    ends = [[offset(text, position) for position in span(item)] for item in items]
    start, end = ends[index]
    if index + 1 < len(items):
        end = ends[index + 1][0]
    elif index:
        start = ends[index - 1][1]
    left = replaced(text, start, end, "")
    if pair:
        last = ends[1 - index][1] - (end - start if index == 0 else 0)
        comma = "" if left.encode()[last:].lstrip().startswith(b",") else ","
        left = replaced(left, last, last, comma)
    return left


def without_lines(text: str, extents: Iterable[tuple[int, int]]) -> str:
    """Take stretches of lines out of a text, and the blank lines above each."""
    lines = text.splitlines(keepends=True)
    for first, last in sorted(extents, reverse=True):
        top = first - 1
        while top and not lines[top - 1].strip():
            top -= 1
        del lines[top:last]
        while top < len(lines) and lines[top - 1].rstrip().endswith(":") and not lines[top].strip():
            del lines[top]
    return "".join(lines)
