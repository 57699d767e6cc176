"""The terminal summary of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from .defects import by_cause, counted
from .report import Report
from .rows import VERDICTS, Row
from .untested import reasons_of, skipped

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
    if reasons := reasons_of(report.rows):
        yield _cut(skipped(reasons))
    groups = by_cause(report)
    if told := counted(report):
        yield told
    for first, *others in groups[:_MOST]:
        yield _cut(f"{first.verdict}: {first.law} [{first.subject}]: {_told(first)}")
        if others:
            laws = ", ".join(dict.fromkeys(row.law for row in others))
            yield _cut(f"  the same cause breaks {len(others)} more: {laws}")
    if len(groups) > _MOST:
        yield f"... and {sum(map(len, groups[_MOST:]))} more failures"
    if not report.complete:
        left = report.counts.get("not run", 0)
        told = f": {left} of {len(report.rows)} did not run" if left else ""
        yield f"INCOMPLETE: the run stopped before all tests finished{told}"


def family_of(report: Report, row: Row) -> str:
    """Return the family of the law of a row."""
    return str(report.laws.get(row.law, {}).get("family", ""))


def _told(row: Row) -> str:
    told = row.difference or row.reason or row.departure
    return " ".join(told.split())


def _cut(line: str) -> str:
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 3]}..."
