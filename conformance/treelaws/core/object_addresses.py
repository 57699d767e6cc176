"""Removes the addresses of objects from a text, so that it is the same in each run."""

from __future__ import annotations

import re

_ADDRESS = re.compile(r"(?: at)? ?\b0x[0-9a-f]{6,}\b", re.IGNORECASE)


def without_addresses(text: str) -> str:
    """Remove addresses of objects; different objects that then print alike get #1, #2 and so on.

    Args:
        text: any text, such as `"<object object at 0x7f5c>"`, which becomes `"<object>"`.
    """
    described: dict[str, set[str]] = {}
    for found in _ADDRESS.finditer(text):
        described.setdefault(_description(text, found.start()), set()).add(found[0].lower())
    numbers: dict[str, str] = {}

    def number(found: re.Match[str]) -> str:
        if len(described[_description(text, found.start())]) == 1:
            return ""
        return f" {numbers.setdefault(found[0].lower(), f'#{len(numbers) + 1}')}"

    return _ADDRESS.sub(number, text).replace("<object object", "<object")


def _description(text: str, end: int) -> str:
    """Return the text before an address: from the bracket around it, or else the last word."""
    depth = 0
    for index in range(end - 1, -1, -1):
        if text[index] == "\n":
            break
        if text[index] == ">" and text[index - 1] != "-":
            depth += 1
        elif text[index] == "<":
            if not depth:
                return text[index:end]
            depth -= 1
    return (text[:end].split() or [""])[-1]
