"""Libraries of which a run tested nothing, because each of their laws was skipped."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from hypothesis_pytrees.core.availability import import_failure
from treelaws import compat
from treelaws.core.subject import Subject

from .rows import Row


@dataclasses.dataclass(frozen=True)
class Untested:
    """A library whose laws were all skipped.

    Args:
        library: its entry of `LIBRARIES`.
        module: the module that its laws import.
        reasons: why its laws were skipped, with the number of laws.
    """

    library: str
    module: str
    reasons: Mapping[str, int]

    @property
    def failure(self) -> str:
        """Why its import fails although it is installed; empty if that is not the reason."""
        return import_failure(self.module) if self.module else ""

    def __str__(self) -> str:
        if self.failure:
            version = compat.version(self.module) or ""
            return f"{self.module} {version} is installed and cannot be imported: {self.failure}"
        return f"{self.library} was not tested: {skipped(self.reasons)}"


def untested(rows: Iterable[Row], find: Callable[[str], Subject | None]) -> list[Untested]:
    """Return the libraries of the suite of which every law in a run was skipped.

    Args:
        rows: the rows of the run.
        find: returns the subject of a name; `None` for one that is not registered.
    """
    verdicts: dict[str, list[Row]] = {}
    for row in rows:
        verdicts.setdefault(row.subject, []).append(row)
    if all(any(row.verdict != "skipped" for row in found) for found in verdicts.values()):
        return []  # Without a look at the subjects, which imports jax.
    by_library: dict[str, list[tuple[Subject, list[Row]]]] = {}
    for name, found in verdicts.items():
        subject = find(name)
        # Trees of a library may have no place for a user's node.
        if subject is not None and subject.shipped and subject.guest is None:
            by_library.setdefault(subject.home, []).append((subject, found))
    empty: dict[str, Untested] = {}
    for library, subjects in by_library.items():
        held = [row for _, found in subjects for row in found]
        if all(row.verdict == "skipped" for row in held):
            empty[library] = Untested(library, subjects[0][0].requires, reasons_of(held))
    # Its trees hold nodes of all libraries.
    if len(empty) > 1:
        empty.pop("mixed", None)
    return list(empty.values())


def reasons_of(rows: Iterable[Row]) -> Counter[str]:
    """Count why laws were skipped; what differs by the subject alone is one reason."""
    reasons = (row.reason for row in rows if row.verdict == "skipped")
    return Counter(re.sub(r"^.* (?=does not claim)", "the subject ", one) for one in reasons)


def skipped(reasons: Mapping[str, int], *, most: int = 3) -> str:
    """Say in one line how many laws were skipped, and why.

    Args:
        reasons: number of laws by reason.
        most: number of reasons to name, the most frequent first.
    """
    ranked = Counter(reasons).most_common()
    if len(ranked) == 1:
        return f"{ranked[0][1]} skipped: {ranked[0][0] or 'without a reason'}"
    told = [f"{count} {reason or 'without a reason'}" for reason, count in ranked[:most]]
    rest = sum(count for _, count in ranked[most:])
    total = sum(reasons.values())
    return f"{total} skipped: {'; '.join(told)}{f'; {rest} for other reasons' if rest else ''}"
