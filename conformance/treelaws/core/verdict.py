"""The verdict of a law on a subject, decided in this module alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path

from treelaws import compat

from .departures import known
from .departures.departure import Departure
from .departures.lines import lines_of
from .failure import Breach
from .law import Law
from .obstacles import covered, obstacle, without_input
from .search import root_breach, run
from .stopped import NoInput
from .subject import Subject


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The outcome of a law on a subject.

    Args:
        law: the law.
        subject: the subject that it ran on.
        kind: `"held"`, `"broken"`, `"blocked"` if the law depends on a broken law,
            `"known"` if a known departure covers it, `"stale-known"` if the witness of a known
            departure no longer breaks the law as recorded, or `"skipped"`.
        reason: one line; empty if the law held or is broken.
        breach: the breach, if `kind` is `"broken"`, or the one of a witness, if it is `"known"`.
        departure: the known departure whose witness was replayed; default none.
        advisory: whether it never fails the run.
    """

    law: Law
    subject: Subject
    kind: str
    reason: str = ""
    breach: Breach | None = None
    departure: Departure | None = None
    advisory: bool = False

    @property
    def fails(self) -> bool:
        """Whether it makes a run fail."""
        return self.kind in ("broken", "stale-known") and not self.advisory


def verdict(
    law: Law,
    subject: Subject,
    search: Callable[[], Breach | None],
    *,
    departure: Departure | None = None,
    searched: Mapping[Law, Breach | None] | None = None,
) -> Verdict:
    """Decide the verdict of a law on a subject.

    Args:
        law: the law.
        subject: the subject that it runs on.
        search: looks for a breach; called only if the law can run.
        departure: the known departure whose witness is replayed instead of a search; default
            none.
        searched: the breach of each law already searched on the same subject, or `None` if it
            held; default none. Parents that are missing here are searched now.
    """
    found = obstacle(law, subject, departure)
    if found is None and departure is None and subject.users is None:
        found = without_input(law, subject)
    if found is not None:
        return Verdict(law, subject, found.verdict, found.reason, departure=departure)
    if departure is not None:
        return _replayed(law, subject, departure)
    try:
        breach = search()
    except NoInput as raised:
        if found := all_known(law, subject):
            return found
        why = without_input(law, subject)
        return Verdict(law, subject, "skipped", why.reason if why else str(raised))
    if breach is None:
        return held(law, subject)
    if cause := _cause(law, subject, searched or {}):
        return Verdict(law, subject, "blocked", cause)
    return Verdict(law, subject, "broken", breach=breach, advisory=law.advisory)


def held(law: Law, subject: Subject) -> Verdict:
    """Return the verdict of a law without a breach that is not known."""
    return all_known(law, subject) or Verdict(law, subject, "held")


def all_known(law: Law, subject: Subject) -> Verdict | None:
    """Return the verdict of a law if a known departure covers every case; else `None`."""
    found = known.covering_every_case((law,), subject)
    return None if found is None else Verdict(law, subject, "known", covered(found, subject))


def _cause(law: Law, subject: Subject, searched: Mapping[Law, Breach | None]) -> str:
    """Name the broken law that causes a breach; empty if there is none."""
    parents = (searched.get(parent) for parent in law.ancestors)
    behind = next((breach for breach in parents if breach is not None), None)
    behind = behind or root_breach(law, subject, apart_from=searched)
    return f"{behind.law.id} is broken for {behind.subject.name}" if behind else ""


def _replayed(law: Law, subject: Subject, departure: Departure) -> Verdict:
    """Return the verdict of a known departure: does its witness still break the law?"""
    try:
        run(law, subject, departure.recipe)
    except Breach as breach:
        error = type(breach.cause).__name__
        if error == (departure.raises or "Mismatch"):
            reason = f"{' '.join(departure.reason.split())} ({departure.issue})"
            return Verdict(law, subject, "known", reason, breach, departure)
        place = f"{departure.file}: {departure.header}"
        reason = f"{place} wants raises = {departure.raises!r}, got {breach}"
        return Verdict(law, subject, "stale-known", reason, departure=departure)
    if departure.race:
        reason = f"{departure.header} shows only where {departure.race}; it did not in this run"
        return Verdict(law, subject, "skipped", reason, departure=departure)
    versions = ", ".join(f"{name} {compat.version(name)}" for name in departure.versions)
    outdated = f"its witness no longer breaks {law.id} for {subject.name} with {versions}"
    shared = departure.entry and not departure.name.endswith(departure.entry[-1])
    what = f"{departure.name!r} from {departure.header}" if shared else departure.header
    stale = f"{_lines(departure)}: delete {what}; {outdated}"
    # A build from source has the version number of the last release.
    from_source = any(map(compat.built_from_source, departure.versions))
    cure = (
        ", built from source; the next release will fix it"
        if from_source
        else "; if other releases still break it, narrow `versions`"
    )
    return Verdict(
        law, subject, "stale-known", stale + cure, departure=departure, advisory=from_source
    )


def _lines(departure: Departure) -> str:
    """Return `file:first-last` of the entry of a departure; just the file if it is not found."""
    path = Path(departure.file)
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    found = lines_of(text, departure.entry or (departure.name,))
    return f"{path}:{found[0]}-{found[1]}" if found else departure.file
