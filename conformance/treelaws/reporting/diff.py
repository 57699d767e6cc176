"""Explains each changed verdict between two reports: library, suite, environment or chance."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from treelaws.reproduce.witness import BadWitness, from_content
from treelaws.subjects.registry import subject as subject_named

from .report import Report
from .rows import Row

# The verdict of a law that a report does not name.
ABSENT = "absent"
# Returns whether a witness, given as JSON content, still breaks its law with the installed
# versions; `None` if it cannot run.
Replay = Callable[[Mapping[str, Any]], bool | None]


@dataclasses.dataclass(frozen=True)
class Change:
    """One verdict that changed.

    Args:
        identity: law, subject and known departure.
        old: the verdict before.
        new: the verdict now.
        cause: `"subject"`, `"suite"`, `"environment"`, `"generation luck"` or `"unexplained"`.
        evidence: the observation that shows the cause.
    """

    identity: tuple[str, str, str]
    old: str
    new: str
    cause: str
    evidence: str

    def __str__(self) -> str:
        law, subject, departure = self.identity
        about = f"{law} [{subject}]{f' ({departure})' if departure else ''}"
        return f"{about}: {self.old} -> {self.new}; {self.cause}: {self.evidence}"


def replayed_here(witness: Mapping[str, Any]) -> bool | None:
    """Return whether a witness breaks its law with the installed versions; `None`: cannot run."""
    try:
        return from_content(witness).breach() is not None
    except BadWitness:
        return None


def diff(old: Report, new: Report, here: Mapping[str, str], replay: Replay) -> Iterator[Change]:
    """Return the changed verdicts, sorted by law, subject and known departure.

    Args:
        old: the report before.
        new: the report now.
        here: versions of the libraries that `replay` runs with, by name.
        replay: reruns a witness.
    """
    before = {row.identity: row for row in old.rows}
    after = {row.identity: row for row in new.rows}
    for identity in sorted({*before, *after}):
        one, other = before.get(identity), after.get(identity)
        verdicts = [row.verdict if row else ABSENT for row in (one, other)]
        if verdicts[0] != verdicts[1]:
            cause, told = _cause(_Pair(old, new, one, other), identity, here, replay)
            yield Change(identity, verdicts[0], verdicts[1], cause, told)


@dataclasses.dataclass(frozen=True)
class _Pair:
    old: Report
    new: Report
    before: Row | None
    after: Row | None

    def versions(self, which: str) -> dict[str, str]:
        return dict((self.old if which == "old" else self.new).environment["libraries"])

    def moved(self) -> dict[str, str]:
        """Return the libraries whose version differs, with both versions."""
        one, other = self.versions("old"), self.versions("new")
        names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
        return {name: f"{name} {one.get(name)} -> {other.get(name)}" for name in names}


def _cause(
    pair: _Pair, identity: tuple[str, str, str], here: Mapping[str, str], replay: Replay
) -> tuple[str, str]:
    law, subject, departure = identity
    laws = [report.laws.get(law) for report in (pair.old, pair.new)]
    if laws[0] is None or laws[1] is None:
        return "suite", "the law is new" if laws[0] is None else "the law is gone"
    if laws[0]["fingerprint"] != laws[1]["fingerprint"]:
        return "suite", "the text of the law changed"
    if "not run" in [row.verdict for row in (pair.before, pair.after) if row is not None]:
        return "environment", "a run ended before this test"
    if pair.old.suite.get("all_breaches") != pair.new.suite.get("all_breaches"):
        return "suite", "one of the runs has the option --all-breaches, or another number with it"
    if not departure and (luck := _luck(pair, here, replay)):
        return "generation luck", luck
    return _by_versions(pair, subject)


def _luck(pair: _Pair, here: Mapping[str, str], replay: Replay) -> str:
    """Return how a replayed witness proves that a run missed it by chance, or `""`."""
    for row, found_by, other in ((pair.before, "old", "new"), (pair.after, "new", "old")):
        if row is None or row.verdict != "broken" or not row.witness:
            continue
        # A replay says what the other run could have found only with the versions of that run.
        if _same(pair.versions(other), here) and replay(row.witness):
            return f"the witness of the {found_by} run breaks the law with the {other} versions too"
    return ""


def _same(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    return all(other.get(name) == version for name, version in one.items())


def _by_versions(pair: _Pair, subject: str) -> tuple[str, str]:
    moved = pair.moved()
    if own := moved.get(_library(subject)):
        return "subject", own
    if pair.old.suite["fingerprint"] != pair.new.suite["fingerprint"]:
        return "suite", "the suite changed"
    if moved:
        return "environment", ", ".join(moved.values())
    for name in ("python", "backend", "x64", "platform"):
        one, other = pair.old.environment[name], pair.new.environment[name]
        if one != other:
            return "environment", f"{name} {one} -> {other}"
    if pair.old.suite["seed"] != pair.new.suite["seed"] or pair.new.suite["seed"] is None:
        return "generation luck", "nothing but the seed differs"
    return "unexplained", "versions, suite and seed are the same"


def _library(subject: str) -> str:
    try:
        return subject_named(subject).requires or "jax"
    except LookupError:
        # A subject registered by a user, which is not imported here.
        return ""
