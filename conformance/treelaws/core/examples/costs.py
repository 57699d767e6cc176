"""Costs: the measured time of one case of each law, as a small file that ships with the suite."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import statistics
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from treelaws.compat import toml

FILE = Path(__file__).with_name("costs.toml")
Key = tuple[str, str, str]
_T = TypeVar("_T")


@dataclasses.dataclass(frozen=True)
class Costs:
    """Microseconds by law, and by subject if one takes much longer or shorter than usual.

    Args:
        cases: usual time of one case of a law, by id.
        subjects: time of one case on unusual subjects, by id and subject.
        rows: number of subjects of a law if there are several, by id.
        replays: time to replay an unusual witness, by the name of its known departure.
        replay: usual time to replay a witness.
    """

    cases: Mapping[str, int] = dataclasses.field(default_factory=dict)
    subjects: Mapping[str, Mapping[str, int]] = dataclasses.field(default_factory=dict)
    rows: Mapping[str, int] = dataclasses.field(default_factory=dict)
    replays: Mapping[str, int] = dataclasses.field(default_factory=dict)
    replay: int = 1

    def updated(self, newer: Costs, laws: Collection[str]) -> Costs:
        """Return these costs with newer ones in their place.

        Args:
            newer: measured later, for a part of the laws.
            laws: ids of the laws that there are; others are left out.
        """
        cases = {**self.cases, **newer.cases}
        kept = {law: cost for law, cost in cases.items() if law in laws}

        def joined(old: Mapping[str, _T], new: Mapping[str, _T]) -> dict[str, _T]:
            still = {law: found for law, found in old.items() if law not in newer.cases}
            return {law: found for law, found in (still | dict(new)).items() if law in laws}

        return Costs(
            kept,
            joined(self.subjects, newer.subjects),
            joined(self.rows, newer.rows),
            {**self.replays, **newer.replays},
            self.replay,
        )

    @functools.cached_property
    def _median(self) -> int:
        return middle(self.cases.values())

    def of(self, key: Key, examples: int) -> int:
        """Return the microseconds of a test; a law without a measurement gets the usual time.

        Args:
            key: law, subject and known departure.
            examples: number of cases; a known departure has one.
        """
        law, subject, departure = key
        if departure:
            return self.replays.get(departure, self.replay)
        usual = self.cases.get(law, self._median)
        return examples * self.subjects.get(law, {}).get(subject, usual)

    def share(self, law: str, seconds: float, *, alone: bool) -> float:
        """Return how many cases of a law take so long, on each subject; infinity if not measured.

        What breaks a law on one of its `n` subjects often breaks it on others, so each of them gets
        the time divided by the square root of `n`.

        Args:
            law: id of the law.
            seconds: time of the law.
            alone: whether it runs on one subject only, such as a user's class.
        """
        if law not in self.cases:
            return math.inf
        rows = 1 if alone else self.rows.get(law, 1)
        return seconds * 1e6 / max(1, self.cases[law]) / math.sqrt(rows)

    def text(self) -> str:
        """Return the content of the file."""
        lines = ["# Microseconds, but for [rows]; written by `python -m treelaws costs REPORT`."]
        lines += [f"replay = {self.replay}"]
        tables = {"cases": self.cases, "rows": self.rows, "replays": self.replays}
        for name, table in tables.items():
            lines += ["", f"[{name}]", *(f"{_key(key)} = {table[key]}" for key in sorted(table))]
        lines += ["", "[subjects]"]
        for law in sorted(self.subjects):
            own = self.subjects[law]
            cells = ", ".join(f"{_key(key)} = {own[key]}" for key in sorted(own))
            lines.append(f"{_key(law)} = {{ {cells} }}")
        return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def middle(values: Iterable[int]) -> int:
    """Return the median, of two in the middle the lower one; 1 if there are no values."""
    found = list(values)
    return statistics.median_low(found) if found else 1


@functools.cache
def read(path: Path = FILE) -> Costs:
    """Read the file of costs.

    Args:
        path: the file; default: that of the suite.
    """
    content: dict[str, Any] = toml.loads(path.read_text(encoding="utf-8"))
    return Costs(**content)
