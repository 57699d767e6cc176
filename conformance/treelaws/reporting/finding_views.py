"""The findings of a report as its page shows them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, NamedTuple

from .findings import sorted_findings
from .report import Report
from .rows import Row

_LINK = re.compile(r"(https?://\S+)(.*)", re.DOTALL)


class LinkView(NamedTuple):
    """An upstream thread.

    Args:
        url: its address.
        rest: its state, with a space in front.
    """

    url: str
    rest: str


class FindingView(NamedTuple):
    """A finding and its rows.

    Args:
        id: its id.
        told: its description in the report.
        rows: its rows with the verdict `known`.
        links: upstream threads.
        script: a script that shows it; empty if the report has none.
    """

    id: str
    told: Mapping[str, Any]
    rows: list[Row]
    links: list[LinkView]
    script: str


def shown_findings(report: Report) -> list[FindingView]:
    """Return the findings that the installed releases have, the most severe first.

    Args:
        report: the report.
    """
    rows: dict[str, list[Row]] = {}
    for row in report.rows:
        if row.verdict == "known" and row.finding:
            rows.setdefault(row.finding, []).append(row)
    return [
        FindingView(
            id,
            {"first_bad": "", **told},
            rows[id],
            [*_links(told.get("links", []))],
            next((row.script for row in rows[id] if row.script), ""),
        )
        for id, told in sorted_findings(report)
    ]


def by_severity(found: Iterable[FindingView]) -> Iterator[tuple[str, list[FindingView]]]:
    """Group findings that are sorted by severity."""
    for severity, group in groupby(found, lambda one: one.told["severity"]):
        yield severity, list(group)


def _links(told: Iterable[str]) -> Iterator[LinkView]:
    for text in told:
        # Only an address of the web becomes a link.
        if match := _LINK.fullmatch(text):
            yield LinkView(*match.groups())
