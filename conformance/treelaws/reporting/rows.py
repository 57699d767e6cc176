"""Rows of a report, one for each law and subject."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

# From worst to best: of two rows with one identity, the worse one is kept.
VERDICTS = (
    "error",
    "broken",
    "stale-known",
    "blocked",
    "not run",
    "known",
    "held",
    "skipped",
)

# What the content of a row has even when it is empty.
_MUST = ("law", "subject", "verdict", "examples", "seconds")


@dataclasses.dataclass(frozen=True)
class Row:
    """The result of a law on a subject, or of the witness of a known departure.

    Args:
        law: id of the law.
        subject: name of the subject.
        verdict: one of `VERDICTS`.
        departure: name of the known departure whose witness was replayed; empty for the law itself.
        finding: id of the finding that the departure follows from; empty if it has none.
        advisory: whether a breach never fails the run.
        reason: why it is blocked, skipped, not run, known or an error; for a law that held, why
            it ran fewer examples than usual; for a broken one, why the search behind its first
            breach was cut off; else empty.
        examples: cases on which the law held.
        seconds: how long the test took.
        difference: the values got and wanted, for a broken law.
        key: equal for breaches that are probably the same bug.
        witness: the content of the witness file; empty unless the law is broken.
        script: the standalone script that shows the breach, for a broken law and for the first
            departure of a finding; else empty.
        answer: the result of running the script.
        marks: what it has in common with broken laws of the same cause.
        behind: breaches of other kinds behind it, each with `difference`, `key`, `witness`,
            `script` and `answer`, as above.
    """

    law: str
    subject: str
    verdict: str
    departure: str = ""
    advisory: bool = False
    reason: str = ""
    examples: int = 0
    seconds: float = 0.0
    difference: str = ""
    key: str = ""
    witness: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    script: str = ""
    answer: str = ""
    finding: str = ""
    marks: Sequence[str] = ()
    behind: Sequence[Mapping[str, Any]] = ()

    @property
    def identity(self) -> tuple[str, str, str]:
        """Law, subject and known departure, which identify the row across reports."""
        return self.law, self.subject, self.departure

    @property
    def fails(self) -> bool:
        """Whether it makes the run fail."""
        return self.verdict in ("error", "broken", "stale-known") and not self.advisory

    def content(self) -> dict[str, Any]:
        """Return its fields as plain JSON values, without empty ones."""
        # Not `asdict`, which copies each value: a report has thousands of rows, written often.
        return {name: value for name, value in vars(self).items() if name in _MUST or value}


def worst(rows: Iterable[Row]) -> list[Row]:
    """Keep the worst row of each identity, of equals the one with most examples, and sort them."""
    kept: dict[tuple[str, str, str], Row] = {}
    for row in rows:
        other = kept.get(row.identity)
        if other is None or _stands_before(row, other):
            kept[row.identity] = row
    return [kept[identity] for identity in sorted(kept)]


def _stands_before(row: Row, other: Row) -> bool:
    if row.verdict == other.verdict:
        return row.examples > other.examples
    return VERDICTS.index(row.verdict) < VERDICTS.index(other.verdict)
