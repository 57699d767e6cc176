"""The terminal summary of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from .report import Report
from .rows import VERDICTS, Row

# A screen shows about forty lines.
_MOST = 20
_WIDTH = 100


def lines(report: Report) -> Iterator[str]:
    """Return the lines: a table of verdicts by family, then the failures.

    Args:
        report: the report.
    """
    shown = [verdict for verdict in reversed(VERDICTS) if report.counts.get(verdict)]
    counts: dict[str, Counter[str]] = {}
    for row in report.rows:
        counts.setdefault(family_of(report, row), Counter())[row.verdict] += 1
    width = max(map(len, counts), default=0)
    yield " ".join([" " * width, *(f"{verdict:>11}" for verdict in shown)])
    for family, found in counts.items():
        cells = (f"{found[verdict] or '':>11}" for verdict in shown)
        yield " ".join([f"{family:{width}}", *cells])
    failing = [row for row in report.rows if row.fails]
    for row in failing[:_MOST]:
        yield _cut(f"{row.verdict}: {row.law} [{row.subject}]: {_told(row)}")
    if len(failing) > _MOST:
        yield f"... and {len(failing) - _MOST} more failures"
    if not report.complete:
        yield "INCOMPLETE: the run stopped before all tests finished"


def family_of(report: Report, row: Row) -> str:
    """Return the family of the law of a row."""
    return str(report.laws.get(row.law, {}).get("family", ""))


def _told(row: Row) -> str:
    told = row.difference or row.reason or row.departure
    return " ".join(told.split())


def _cut(line: str) -> str:
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 3]}..."
