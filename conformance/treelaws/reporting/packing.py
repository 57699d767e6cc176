"""Packing: a report as compact JSON that may stand inside of a page's script element."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hypothesis_pytrees import Recipe

from .report import Report
from .rows import Row

# What ends a script element, starts a comment, or is a line's end to JavaScript alone.
_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
_TOLD = ("statement", "source", "level", "topic", "family", "since")


class _Texts:
    """Texts by number, each kept once; the empty one is number 0, so that rows can leave it out."""

    def __init__(self) -> None:
        self._numbers = {"": 0}

    def __call__(self, text: Any) -> int:
        return self._numbers.setdefault(str(text), len(self._numbers))

    def all(self) -> list[str]:
        """Give the texts in the order of their numbers."""
        return list(self._numbers)


def packed(report: Report, signs: Mapping[str, str]) -> str:
    """Pack what a page shows of a report's laws and rows.

    A law is the numbers of its id and of what `_TOLD` names. A row is the numbers of its law,
    subject and verdict, its examples and milliseconds, whether it is advisory, and the numbers of
    its texts; zeros at its end are left out.

    Args:
        report: the report.
        signs: the sign of each verdict, in the order in which rows number them.

    Returns:
        JSON in ASCII that holds neither `<`, `>` nor `&`.
    """
    texts = _Texts()
    ids = sorted({row.law for row in report.rows})
    numbers = {id: number for number, id in enumerate(ids)}
    verdicts = list(signs)
    content = {
        "laws": [_law(id, report.laws.get(id, {}), texts) for id in ids],
        "rows": [_row(row, numbers, verdicts, texts) for row in report.rows],
        "verdicts": list(signs.items()),
        "texts": texts.all(),
    }
    # ASCII alone: a lone surrogate of a subject's text could not be written to a file.
    return json.dumps(content, ensure_ascii=True, separators=(",", ":")).translate(_ESCAPES)


def _law(id: str, told: Mapping[str, Any], texts: _Texts) -> list[int]:
    return [texts(id), *(texts(told.get(key, "")) for key in _TOLD)]


def _row(row: Row, laws: Mapping[str, int], verdicts: list[str], texts: _Texts) -> list[int]:
    values = [
        laws[row.law],
        texts(row.subject),
        verdicts.index(row.verdict),
        row.examples,
        round(row.seconds * 1000),
        int(row.advisory),
        texts(row.departure),
        texts(row.reason),
        texts(row.difference),
        texts(row.key),
        texts(_input(row.witness)),
        texts(row.script),
        texts(row.answer),
    ]
    while values and not values[-1]:
        values.pop()
    return values


def _input(witness: Mapping[str, Any]) -> str:
    """Give the text of a witness as a failure prints it: a file that runs on its own."""
    if not witness:
        return ""
    recipe = Recipe(
        tuple(witness.get("definitions", ())),
        tuple(witness.get("statements", ())),
        witness.get("expression", ""),
    )
    return recipe.source()
