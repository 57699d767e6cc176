"""The costs of laws, as a report shows them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from treelaws.core.examples.costs import Costs, middle

if TYPE_CHECKING:
    from .report import Report
    from .rows import Row

_Key = TypeVar("_Key", bound=Hashable)
# A subject or witness is listed only if its time differs by this share and by so many microseconds.
_WORTH_LISTING = 0.5
_CASE = 2_000
_REPLAY = 20_000


def measured(report: Report, *, together: Callable[[str], Hashable] = str) -> Costs:
    """Return the costs that a report shows.

    Args:
        report: report of a run of every law, best on a machine without other load.
        together: returns, for the id of a law, a key that is the same for laws whose cases are
            drawn together; the first of them takes the time to draw for all, so each gets the mean.
            Default: no laws are.
    """
    tried = list(_tried(report))
    rows = [row for row in tried if row.examples and not row.departure]
    laws = _grouped(rows, lambda row: row.law)
    drawn = _grouped(rows, lambda row: together(row.law))
    cases = {law: _microseconds(drawn[together(law)]) for law in laws}
    subjects: dict[str, dict[str, int]] = {}
    for law, found in laws.items():
        usual = _microseconds(found)
        for row in found:
            if len(found) > 1 and _unusual(_microseconds([row]), usual, _CASE):
                subjects.setdefault(law, {})[row.subject] = _microseconds([row])
    replays = {row.departure: round(row.seconds * 1e6) for row in tried if row.departure}
    replay = middle(replays.values())
    unusual = {name: cost for name, cost in replays.items() if _unusual(cost, replay, _REPLAY)}
    several = {law: len(found) for law, found in laws.items() if len(found) > 1}
    return Costs(cases, subjects, several, unusual, replay)


def _grouped(rows: Iterable[Row], key: Callable[[Row], _Key]) -> dict[_Key, list[Row]]:
    found: dict[_Key, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def _tried(report: Report) -> Iterator[Row]:
    # A subject whose library is missing is skipped here and takes its time elsewhere.
    there = {row.subject for row in report.rows if row.verdict not in ("skipped", "not run")}
    for row in report.rows:
        if row.subject in there and row.verdict not in ("not run", "error"):
            yield row


def _microseconds(rows: list[Row]) -> int:
    """Return the time of one case."""
    return round(1e6 * sum(row.seconds for row in rows) / sum(row.examples for row in rows))


def _unusual(cost: int, usual: int, least: int) -> bool:
    return abs(cost - usual) > max(_WORTH_LISTING * usual, least)
