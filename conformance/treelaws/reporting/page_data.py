"""Writes the laws and rows of a report as JSON for the script of its page."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis_pytrees import Recipe

from .defects import by_cause
from .report import Report
from .rows import Row

# These end a script element, start a comment, or are line ends to JavaScript alone.
_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
_SHOWN = ("statement", "source", "level", "topic", "family", "since", "page")


def page_data(report: Report, signs: Mapping[str, str]) -> str:
    """Return the laws and rows of a report as JSON that may stand in a script element.

    Args:
        report: the report.
        signs: the sign of each verdict, from the worst verdict to the best.

    Returns:
        JSON in ASCII that contains neither `<`, `>` nor `&`.
    """
    ids = sorted({row.law for row in report.rows})
    causes = {
        row.identity: f"{rows[0].law} {rows[0].subject}"
        for rows in by_cause(report)
        if len(rows) > 1
        for row in rows
    }
    content = {
        "verdicts": signs,
        "laws": [{"id": id, **_law(report.laws.get(id, {}))} for id in ids],
        "rows": [dict(_row(row, causes.get(row.identity, row.key))) for row in report.rows],
    }
    # A lone surrogate in the name of a subject could not be written to a file otherwise.
    return json.dumps(content, ensure_ascii=True, separators=(",", ":")).translate(_ESCAPES)


def _law(described: Mapping[str, Any]) -> dict[str, str]:
    return {key: str(described.get(key, "")) for key in _SHOWN}


def _row(row: Row, key: str) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a row; rows of the same cause have the same key."""
    for name, value in dataclasses.replace(row, key=key, marks=()).content().items():
        if name == "seconds":
            yield "ms", round(value * 1000)
        elif name == "witness":
            yield "input", _input(value)
        elif name == "behind":
            yield name, [{**one, "witness": "", "input": _input(one["witness"])} for one in value]
        else:
            yield name, value


def _input(witness: Mapping[str, Any]) -> str:
    """Return the text of a witness as a failure prints it: a file that runs on its own."""
    recipe = Recipe(
        tuple(witness.get("definitions", ())),
        tuple(witness.get("statements", ())),
        witness.get("expression", ""),
    )
    return recipe.source()
