"""The verdict of a law on a subject: the one place that decides it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path

from treelaws import compat

from .departures.departure import Departure
from .departures.lines import lines_of
from .failure import Breach
from .law import Law
from .obstacles import obstacle
from .search import root_breach, run
from .subject import Subject


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What became of a law on a subject.

    Args:
        law: the law.
        subject: what it was run on.
        kind: `"held"`, `"broken"`, `"blocked"` where the law depends on one that is broken,
            `"known"` where a known departure covers it, `"stale-known"` where the witness of one no
            longer breaks the law as recorded, or `"skipped"`.
        reason: one line; empty where the law held or is broken.
        breach: how the law is broken; `None` unless `kind` is `"broken"`.
        departure: the known departure whose witness was replayed; default none.
        advisory: whether it fails nothing.
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
    """Decide what becomes of a law on a subject.

    Args:
        law: the law.
        subject: what it is run on.
        search: looks for a breach; called only where nothing stands in the way.
        departure: the known departure whose witness is replayed instead of the search; default
            none.
        searched: other laws on the same subject and how each was found broken, or `None` where it
            held; default none. Of the others, those that the law depends on are searched here.
    """
    found = obstacle(law, subject, departure)
    if found is not None:
        return Verdict(law, subject, found.verdict, found.reason, departure=departure)
    if departure is not None:
        return _replayed(law, subject, departure)
    breach = search()
    if breach is None:
        return Verdict(law, subject, "held")
    if cause := _cause(law, subject, searched or {}):
        return Verdict(law, subject, "blocked", cause)
    return Verdict(law, subject, "broken", breach=breach, advisory=law.advisory)


def _cause(law: Law, subject: Subject, searched: Mapping[Law, Breach | None]) -> str:
    """Name the broken law behind a breach; empty where there is none."""
    parents = (searched.get(parent) for parent in law.ancestors)
    behind = next((breach for breach in parents if breach is not None), None)
    behind = behind or root_breach(law, subject, apart_from=searched)
    return f"{behind.law.id} is broken for {behind.subject.name}" if behind else ""


def _replayed(law: Law, subject: Subject, departure: Departure) -> Verdict:
    """Say whether the witness of a known departure still breaks its law as recorded."""
    try:
        run(law, subject, departure.recipe)
    except Breach as breach:
        error = type(breach.cause).__name__
        if error == (departure.raises or "Mismatch"):
            reason = f"{' '.join(departure.reason.split())} ({departure.issue})"
            return Verdict(law, subject, "known", reason, departure=departure)
        place = f"{departure.file}: [{departure.name}]"
        reason = f"{place} wants raises = {departure.raises!r}, got {breach}"
        return Verdict(law, subject, "stale-known", reason, departure=departure)
    versions = ", ".join(f"{name} {compat.version(name)}" for name in departure.versions)
    outdated = f"its witness no longer breaks {law.id} for {subject.name} with {versions}"
    stale = f"{_lines(departure)}: delete [{departure.name}]; {outdated}"
    # The next release still goes by the number of the last one.
    from_source = any(map(compat.built_from_source, departure.versions))
    cure = (
        ", built from source; the next release will fix it"
        if from_source
        else "; where other releases still break it, narrow `versions`"
    )
    return Verdict(
        law, subject, "stale-known", stale + cure, departure=departure, advisory=from_source
    )


def _lines(departure: Departure) -> str:
    """Name the file of a departure and its lines there, as it stands now."""
    path = Path(departure.file)
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    found = lines_of(text, departure.name)
    return f"{path}:{found[0]}-{found[1]}" if found else departure.file
