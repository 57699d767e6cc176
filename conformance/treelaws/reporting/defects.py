"""The failing rows of a report, grouped by cause."""

from __future__ import annotations

from typing import Any

from treelaws.core import defects
from treelaws.laws import all_laws

from .report import Report
from .rows import Row


def by_cause(report: Report) -> list[list[Row]]:
    """Return the failing rows in groups of the same cause, the row to read first in front.

    Args:
        report: the report.
    """
    failing = [row for row in report.rows if row.fails]
    return defects.grouped(failing, marks=lambda row: row.marks, rank=_rank)


def counted(report: Report) -> str:
    """Return `1 defect breaks 16 laws` if laws are broken by common causes, else nothing."""
    groups = [[row for row in rows if row.verdict == "broken"] for rows in by_cause(report)]
    groups = [rows for rows in groups if rows]
    return defects.counted(groups) if any(len(rows) > 1 for rows in groups) else ""


def _rank(row: Row) -> tuple[Any, ...]:
    # A report of another release may have laws that this one does not.
    law = all_laws().get(row.law)
    return (0, *defects.rank(law), row.subject) if law else (1, row.law, row.subject)
