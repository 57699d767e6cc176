"""Costs: the measured time of each law, as a small file that ships with the suite."""

from __future__ import annotations

import dataclasses
import functools
import json
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treelaws.compat import toml

if TYPE_CHECKING:
    from .report import Report
    from .rows import Row

FILE = Path(__file__).with_name("costs.toml")
Key = tuple[str, str, str]
# A subject is listed only if its time differs by this share and by so many milliseconds.
_WORTH_LISTING = 0.5
_LEAST = 20


@dataclasses.dataclass(frozen=True)
class Costs:
    """Milliseconds by law, and by subject if it takes much longer or shorter than usual.

    Args:
        laws: usual time of a law, by id.
        subjects: time of a law on unusual subjects, by id and subject.
        replays: time to replay an unusual witness, by the name of its known departure.
        replay: usual time to replay a witness.
    """

    laws: Mapping[str, int] = dataclasses.field(default_factory=dict)
    subjects: Mapping[str, Mapping[str, int]] = dataclasses.field(default_factory=dict)
    replays: Mapping[str, int] = dataclasses.field(default_factory=dict)
    replay: int = 1

    @functools.cached_property
    def _median(self) -> int:
        return _middle(list(self.laws.values()))

    def of(self, key: Key) -> int:
        """Return the milliseconds of a test; a test without a measurement gets the usual time.

        Args:
            key: law, subject and known departure.
        """
        law, subject, departure = key
        if departure:
            return self.replays.get(departure, self.replay)
        own = self.subjects.get(law, {})
        return own.get(subject, self.laws.get(law, self._median))

    def text(self) -> str:
        """Return the content of the file."""
        lines = ["# Milliseconds; written by `python -m treelaws costs REPORT`."]
        lines += [f"replay = {self.replay}"]
        for name, table in (("laws", self.laws), ("replays", self.replays)):
            lines += ["", f"[{name}]", *(f"{_key(key)} = {table[key]}" for key in sorted(table))]
        lines += ["", "[subjects]"]
        for law in sorted(self.subjects):
            own = self.subjects[law]
            cells = ", ".join(f"{_key(key)} = {own[key]}" for key in sorted(own))
            lines.append(f"{_key(law)} = {{ {cells} }}")
        return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _middle(values: list[int]) -> int:
    # The lower one of two, so that it is a measured number.
    return statistics.median_low(values) if values else 1


@functools.cache
def read(path: Path = FILE) -> Costs:
    """Read the file of costs.

    Args:
        path: the file; default: that of the suite.
    """
    content: dict[str, Any] = toml.loads(path.read_text(encoding="utf-8"))
    return Costs(**content)


def measured(report: Report) -> Costs:
    """Return the costs that a report shows.

    Args:
        report: report of a run of every law, best on a machine without other load.
    """
    rows = list(_tried(report))
    laws: dict[str, list[int]] = {}
    for row in rows:
        if row.verdict != "skipped" and not row.departure:
            laws.setdefault(row.law, []).append(_milliseconds(row))
    usual = {law: _middle(found) for law, found in laws.items()}
    subjects: dict[str, dict[str, int]] = {}
    for row in rows:
        if row.law in usual and not row.departure and _unusual(_milliseconds(row), usual[row.law]):
            subjects.setdefault(row.law, {})[row.subject] = _milliseconds(row)
    replays = {row.departure: _milliseconds(row) for row in rows if row.departure}
    replay = _middle(list(replays.values()))
    unusual = {name: cost for name, cost in replays.items() if _unusual(cost, replay)}
    return Costs(usual, subjects, unusual, replay)


def _tried(report: Report) -> Iterator[Row]:
    # A subject whose library is missing is skipped here and takes its time elsewhere.
    there = {row.subject for row in report.rows if row.verdict not in ("skipped", "not run")}
    for row in report.rows:
        if row.subject in there and row.verdict not in ("not run", "error"):
            yield row


def _milliseconds(row: Row) -> int:
    return round(row.seconds * 1000)


def _unusual(cost: int, usual: int) -> bool:
    return abs(cost - usual) > max(_WORTH_LISTING * usual, _LEAST)
