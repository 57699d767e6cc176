"""More rounds of tests that held, with other seeds, until the time is up."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from treelaws.pytest_plugin.items import Key, key_of
from treelaws.pytest_plugin.receiver import ROW

from . import clock, needs
from .under_way import UnderWay


@dataclasses.dataclass
class Spent:
    """The use of spare time.

    Args:
        seconds: spare time in seconds.
        tests: number of tests that had more rounds.
        cases: number of extra examples on which they held.
    """

    seconds: float = 0.0
    tests: int = 0
    cases: int = 0

    def add(self, other: Spent) -> None:
        """Add the work of another process in the same time."""
        self.seconds = max(self.seconds, other.seconds)
        self.tests += other.tests
        self.cases += other.cases


class Rounds:
    """Tests that held, and further rounds of them.

    Args:
        base: text from which the seeds of the rounds are derived; if empty, Hypothesis uses random
            seeds and stores failures in its database, which it does not do with a fixed seed.
        under_way: records the running test.
    """

    def __init__(self, base: str, under_way: UnderWay) -> None:
        self._base, self._under_way = base, under_way
        self._items: dict[Key, pytest.Item] = {}
        self._rows: dict[Key, dict[str, Any]] = {}
        self._again: dict[Key, int] = {}

    def take(self, item: pytest.Item, report: pytest.TestReport) -> None:
        """Take the report of the first run of a test."""
        row, key = row_of(report), key_of(item)
        if row is None or row.get("departure") or key in self._rows:
            return
        if row["verdict"] == "held" and not row.get("reason") and not _advisory(key):
            self._items[key], self._rows[key] = item, row
            needs.spend(key[:2], row["seconds"])

    def go_on(self, session: pytest.Session) -> Iterator[pytest.TestReport]:
        """Run the neediest law repeatedly until the time is up, and yield reports of failures."""
        while self._items and clock.left() > 0 and not (session.shouldfail or session.shouldstop):
            pairs = {key[:2]: key for key in self._items}
            key = pairs[needs.neediest(pairs)]
            yield from self._round(key)
        self._under_way.say(None)

    def _round(self, key: Key) -> Iterator[pytest.TestReport]:
        item = self._items[key]
        number = self._again[key] = self._again.get(key, 0) + 1
        if self._base:
            from hypothesis import seed

            seed(_seed(self._base, key, number))(item.obj)  # pyright: ignore
        self._under_way.say(item)
        told, begun = list(item.user_properties), time.monotonic()
        reports = runtestprotocol(item, log=False)
        # A round also costs time outside of its examples.
        needs.spend(key[:2], time.monotonic() - begun)
        # A JUnit file must show the properties of the test only once.
        item.user_properties[:] = told
        for report in reports:
            row = row_of(report)
            if row is None:
                continue
            if row["verdict"] in ("held", "not run"):
                total = self._rows[key]
                for figure in ("examples", "seconds"):
                    total[figure] += row[figure]
            else:
                row["examples"] += self._rows[key]["examples"]
                row["seconds"] += self._rows[key]["seconds"]
                _replace(report, row)
                del self._items[key]
                yield report

    def totals(self) -> list[Mapping[str, Any]]:
        """Return the rows of tests that had more rounds and still hold, with all their examples."""
        return [self._rows[key] for key in self._again if key in self._items]

    def spent(self, seconds: float, before: Mapping[Key, int]) -> Spent:
        """Return the use of spare time.

        Args:
            seconds: spare time in seconds.
            before: number of examples on which each test had held before.
        """
        cases = sum(self._rows[key]["examples"] - before[key] for key in self._again)
        return Spent(seconds, len(self._again), cases)

    def cases(self) -> dict[Key, int]:
        """Return the number of examples on which each test has held."""
        return {key: row["examples"] for key, row in self._rows.items()}


def row_of(report: pytest.TestReport) -> dict[str, Any] | None:
    """Return the content of the row that goes with a report."""
    return next(
        (json.loads(str(text)) for name, text in report.user_properties if name == ROW), None
    )


def _replace(report: pytest.TestReport, row: Mapping[str, Any]) -> None:
    others = [pair for pair in report.user_properties if pair[0] != ROW]
    report.user_properties = [*others, (ROW, json.dumps(row))]


def _advisory(key: Key) -> bool:
    from treelaws.laws import law_named

    return law_named(key[0]).advisory


def _seed(base: str, key: Key, number: int) -> int:
    text = "\0".join((base, *key, str(number)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
