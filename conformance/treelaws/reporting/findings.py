"""The findings of a report: one root cause each, most severe first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from treelaws.core.departures import known
from treelaws.core.departures.finding import SEVERITIES, Finding

from .report import Report

# One and several findings of a severity.
_NAMES = {
    "wrong-result": ("wrong result", "wrong results"),
    "state-lost": ("loss of state", "losses of state"),
    "crash": ("crash", "crashes"),
    "leak": ("leak", "leaks"),
    "refuses-valid": ("valid input refused", "valid inputs refused"),
    "accepts-invalid": ("invalid input accepted", "invalid inputs accepted"),
    "cosmetic": ("cosmetic", "cosmetic"),
}


def described(found: Finding) -> dict[str, Any]:
    """Return a description of a finding for readers of the report."""
    told = {
        "title": found.title,
        "library": found.library,
        "severity": found.severity,
        "consequence": " ".join(found.consequence.split()),
        "reason": " ".join(found.reason.split()),
        "versions": found.affected,
        "first_bad": found.first_affected,
        "links": [str(link) for link in found.links],
    }
    return {key: value for key, value in told.items() if value}


def described_findings(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return descriptions of the findings of known departures, by id.

    Args:
        names: names of the departures.
    """
    wanted = {name.partition("[")[0] for name in names}
    # A departure for several subjects has the name of each behind its own.
    every = known.departures()
    ids = {found.finding for found in every if found.name.partition("[")[0] in wanted}
    return {found.id: described(found) for found in known.findings() if found.id in ids}


def sorted_findings(report: Report) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield id and description of the findings that the installed versions have.

    The most severe come first; within a severity they are sorted by library and title.

    Args:
        report: the report.
    """
    there = {row.finding for row in report.rows if row.verdict == "known"}
    found = [(id, told) for id, told in report.findings.items() if id in there]
    yield from sorted(
        found,
        key=lambda pair: (rank(pair[1]["severity"]), pair[1]["library"], pair[1]["title"]),
    )


def rank(severity: str) -> int:
    """Return the place of a severity among all, the most severe first."""
    return SEVERITIES.index(severity)


def summary(report: Report) -> str:
    """Return the line of the terminal summary; empty if the installed versions have no finding."""
    found = Counter(told["severity"] for _, told in sorted_findings(report))
    if not found:
        return ""
    total, worst = sum(found.values()), min(found, key=rank)
    number = f"{total} known finding{'' if total == 1 else 's'} in these releases"
    return f"{number}, {found[worst]} {_NAMES[worst][found[worst] != 1]}"
