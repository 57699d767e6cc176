"""Removes elements and lines from a text and keeps the rest as it is."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from .syntax import Position, span


def offset(text: str, position: Position) -> int:
    """Return the number of bytes before a position."""
    lines = text.encode().splitlines(keepends=True)
    return sum(map(len, lines[: position[0] - 1])) + position[1]


def replaced(text: str, start: int, end: int, new: str) -> str:
    """Replace the text between two offsets in bytes."""
    data = text.encode()
    return (data[:start] + new.encode() + data[end:]).decode()


def part_of(text: str, node: ast.AST) -> str:
    """Return the text of a node."""
    start, end = (offset(text, position) for position in span(node))
    return text.encode()[start:end].decode()


def without(text: str, items: Sequence[ast.AST], index: int, *, pair: bool = False) -> str:
    """Remove one of several items, separated by commas, from a text.

    Args:
        text: the text.
        items: all of them, in order.
        index: the item to remove.
        pair: whether the items are a tuple of two, so that the rest needs a comma; default `False`.
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
    """Remove ranges of lines from a text, and the blank lines above each."""
    lines = text.splitlines(keepends=True)
    for first, last in sorted(extents, reverse=True):
        top = first - 1
        while top and not lines[top - 1].strip():
            top -= 1
        del lines[top:last]
        while top < len(lines) and lines[top - 1].rstrip().endswith(":") and not lines[top].strip():
            del lines[top]
    return "".join(lines)
