"""The verdict of a law that ran in a child process, as plain data."""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Mapping
from typing import Any

from treelaws.core.subject import Subject


@dataclasses.dataclass(frozen=True)
class Told:
    """The outcome of a law on a subject.

    Args:
        law: id of the law.
        subject: name of the subject.
        kind: as for `Verdict`; also `"error"` if the suite itself failed.
        reason: one line; for a broken law, why the search behind its first breach was cut off.
        advisory: whether it never fails a run.
        message: the report of a broken law.
        difference: the values got and wanted, or how the law ended its process.
        witness: the content of the witness file of a broken law.
        script: the standalone script of a broken law.
        answer: the result of running the script.
        marks: what it has in common with broken laws of the same cause.
        candidates: entries of known departures for a broken law, as JSON; empty if not asked for.
        behind: as for `Row`.
        messages: the reports of the breaches behind the first.
        covered: whether a known departure covers the input of a broken law.
    """

    law: str
    subject: str
    kind: str
    reason: str = ""
    advisory: bool = False
    message: str = ""
    difference: str = ""
    witness: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    script: str = ""
    answer: str = ""
    marks: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    behind: tuple[Mapping[str, Any], ...] = ()
    messages: tuple[str, ...] = ()
    covered: bool = False

    @property
    def fails(self) -> bool:
        """Whether it makes a run fail."""
        return self.kind in ("broken", "stale-known", "error") and not self.advisory


# By law and known departure.
_told: weakref.WeakKeyDictionary[Subject, dict[tuple[str, str], Told]] = weakref.WeakKeyDictionary()


def told_on(subject: Subject) -> dict[tuple[str, str], Told]:
    """Return the outcomes so far on a subject, by law and known departure."""
    return _told.setdefault(subject, {})


def broken() -> int:
    """Return how many of the outcomes are broken laws."""
    return sum(one.kind == "broken" for found in _told.values() for one in found.values())


def forget() -> None:
    """Forget the outcomes: some of the failures are known now."""
    _told.clear()
