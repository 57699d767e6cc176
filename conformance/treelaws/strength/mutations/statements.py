"""The lines of the statement that a line belongs to."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def statement_at(text: str, line: int) -> range:
    """Return the lines of the innermost statement at a line, without those of its body.

    Args:
        text: the source.
        line: the number of a line.
    """
    found = [lines for lines in _statements(text) if line in lines]
    return max(found, key=lambda lines: lines.start, default=range(line, line + 1))


def _statements(text: str) -> Iterator[range]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.stmt, ast.excepthandler)):
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(one.lineno for one in decorators)])
            body = getattr(node, "body", None)
            last = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno
            yield range(first, (last or node.lineno) + 1)
