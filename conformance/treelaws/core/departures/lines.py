"""Which lines of a TOML file an entry takes."""

from __future__ import annotations

import re
import sys

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# What holds brackets and line ends that mean nothing, the longest delimiter first; then what does.
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*"
    r"|[\[{]|[\]}]|\n",
    re.DOTALL,
)


def lines_of(text: str, name: str) -> tuple[int, int] | None:
    """Give the first and the last line of an entry, counted from 1.

    Comments that touch its header from above belong to it, those above the next header to the
    next. `None` where no header names it, as for one that is written as an inline table.

    Args:
        text: of a valid TOML file.
        name: of the entry.
    """
    lines = text.split("\n")
    headers, comments = _outline(text)
    starts = [_with_comments(comments, number) for number, _ in headers]
    ends = [*(start - 1 for start in starts[1:]), len(lines)]
    # A table may be followed by its sub-tables.
    own = [index for index, (_, found) in enumerate(headers) if found == name]
    if not own:
        return None
    last = ends[own[-1]]
    while not lines[last - 1].strip():
        last -= 1
    return starts[own[0]], last


def _with_comments(comments: set[int], number: int) -> int:
    while number - 1 in comments:
        number -= 1
    return number


def _outline(text: str) -> tuple[list[tuple[int, str]], set[int]]:
    """Give line and first key of each table's header, and the lines that are comments."""
    headers: list[tuple[int, str]] = []
    comments: set[int] = set()
    depth, line, begun = 0, 1, 0
    for token in _TOKEN.finditer(text):
        found = token[0]
        first = not text[begun : token.start()].strip()
        if found.startswith("#") and first:
            comments.add(line)
        elif found in ("[", "{"):
            if found == "[" and depth == 0 and first:
                headers.append((line, _key(text[begun:].split("\n", 1)[0])))
            depth += 1
        elif found in ("]", "}"):
            depth -= 1
        elif found == "\n":
            begun = token.end()
        line += found.count("\n")
    return headers, comments


def _key(header: str) -> str:
    return next(iter(tomllib.loads(header)))
