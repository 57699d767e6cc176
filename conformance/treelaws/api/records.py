"""What `check()` returns, raises and warns."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from treelaws.core import defects
from treelaws.reproduce.witness import Witness


class ConformanceError(AssertionError):
    """A subject breaks laws; the message has one report for each defect.

    Args:
        records: the records of all laws, also of those that hold.
    """

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = records
        failing = [one for one in records if one.fails]
        parts = [defects.counted(self.defects), *(_report(group) for group in self.defects)]
        super().__init__("\n\n".join(parts if len(failing) > 1 else parts[1:]))

    @property
    def defects(self) -> list[list[Record]]:
        """The records of the broken laws, grouped by cause, the one to read first in front."""
        groups: dict[tuple[str, str], list[Record]] = {}
        for one in self.records:
            if one.fails and not one.cause:
                groups[one.law, one.subject] = [one]
        for one in self.records:
            if one.fails and one.cause:
                groups[one.cause].append(one)
        return list(groups.values())


def _report(group: Sequence[Record]) -> str:
    first, *others = group
    if not others:
        return first.message
    laws = "\n".join(f"  {one.law} for {one.subject}" for one in others)
    return f"{first.message}\n\nthe same cause breaks:\n{laws}"


class ConformanceWarning(UserWarning):
    """A subject breaks laws."""


@dataclasses.dataclass(frozen=True)
class Record:
    """The verdict of a law on a subject.

    Args:
        law: its id; `"*"` if no law can run on the subject.
        subject: name of the subject.
        verdict: `"held"`, `"broken"`, `"blocked"`, `"known"`, `"skipped"`, `"not run"` if the time
            was spent, `"stale-known"` for a known departure whose witness no longer breaks its
            law, or `"error"` if the suite itself failed.
        advisory: whether a breach never fails the check.
        message: the report of a breach, or the reason of another verdict; for a law that held, why
            it ran in a child process; else empty.
        witness: the input that broke the law; `None` unless it is broken.
        script: a script that shows the breach without this package; empty unless it is broken.
        cause: law and subject of the record whose report shows the same defect; `None` if it is
            this one, or if it does not fail.
    """

    law: str
    subject: str
    verdict: str
    advisory: bool = False
    message: str = ""
    witness: Witness | None = None
    script: str = ""
    cause: tuple[str, str] | None = None

    @property
    def fails(self) -> bool:
        """Whether it makes the check fail."""
        return self.verdict in ("broken", "stale-known", "error") and not self.advisory
