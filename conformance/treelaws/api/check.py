"""`check()` runs the laws on one subject without pytest and returns records."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import time
import traceback
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from treelaws.children.told import Told
from treelaws.core import defects, settings, time_limit
from treelaws.core.failure import Breach
from treelaws.core.law import Law
from treelaws.core.mismatch import first_line
from treelaws.core.stopped import found_so_far
from treelaws.core.subject import Subject
from treelaws.core.verdict import Verdict, verdict
from treelaws.draws.drawn_recipes import DrawnRecipes
from treelaws.draws.holding import find_breach
from treelaws.findings import for_calls
from treelaws.findings.for_calls import Files
from treelaws.laws import law_named
from treelaws.reproduce.script import offer
from treelaws.reproduce.witness import Witness, from_content, witness_of
from treelaws.subjects.user import mixtures, subjects_of

from . import children
from .choosing import matching_laws

# Time limit of the report of a breach, which shrinks its input and runs its script.
_SCRIPT_SECONDS = 600.0
ANSWERS = ("raise", "warn", "return")


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


def check(
    subject: Any,
    *,
    instances: Any = None,
    name: str = "",
    laws: str | Sequence[str] = "*",
    level: str = "observed",
    profile: str = "quick",
    mixed: bool = True,
    on_broken: str = "raise",
    known: Files = (),
    max_time: float = math.inf,
    case_time: float = settings.case_seconds,
) -> list[Record]:
    """Run the laws on node classes or a library.

    Args:
        subject: a class whose instances are PyTree nodes, a function without arguments that returns
            an instance, a library, a `Subject`, a list of classes or of instances, or a module,
            which stands for each node class that it defines, without those that it imports.
        instances: how to create instances of one class if its type hints do not say so: a function
            without arguments, a list, or a Hypothesis strategy of instances or recipes.
        name: the name of one subject in records; default `package.module:object` if that can be
            imported.
        laws: one or more ids or patterns of laws; default every law.
        level: run laws of this level and stricter, one of `"must"`, `"should"`, `"observed"`;
            default all.
        profile: number of examples, one of `"quick"`, `"default"`, `"ci"`, `"thorough"`.
        mixed: also run the laws of JAX, Equinox and NNX on trees that hold such nodes; default
            `True`.
        on_broken: `"raise"`, `"warn"` or `"return"`; default `"raise"`.
        known: files of known departures, for this call only; default none.
        max_time: stop after this many seconds, above 0; default none. Laws that did not run have
            a record `"not run"`.
        case_time: time limit of one input of a law in seconds, above 0; default 60. A law whose
            input does not end is broken. Nothing is stopped on Windows, or in another thread than
            the main one; there, `max_time` only starts no further law.

    Returns:
        A record for each law and subject, laws of nodes first; then one with the law `"*"` for
        each class of a module that cannot be tried.

    Raises:
        ConformanceError: a law is broken that is not advisory, and `on_broken` is `"raise"`.
        ValueError: an option or a law does not exist, or a file of known departures is malformed.
        LookupError: `subject` is nothing that laws can run on.
    """
    for option, value, allowed in (
        ("level", level, settings.LEVELS),
        ("profile", profile, settings.PROFILES),
        ("on_broken", on_broken, ANSWERS),
    ):
        if value not in allowed:
            raise ValueError(f"{option}={value!r} does not exist; choose from {', '.join(allowed)}")
    until = time.monotonic() + (
        max_time if max_time == math.inf else _seconds("max_time", max_time)
    )
    with time_limit.case_seconds(_seconds("case_time", case_time)):
        several = subjects_of(subject, name=name, instances=instances)
        wanted = matching_laws([laws] if isinstance(laws, str) else laws, level)
        found = several.subjects
        hosts = [one for guest in found for one in (mixtures.mixtures(guest) if mixed else ())]
        under_test = [*found, *hosts]
        with for_calls.for_this_call(known, under_test):
            decided = [
                one for other in under_test for one in _decided(wanted, other, profile, until)
            ]
            records = _records(decided, until)
    records += [Record("*", one, "skipped", message=why) for one, why in several.untried.items()]
    if any(one.fails for one in records) and on_broken != "return":
        broken = ConformanceError(records)
        if on_broken == "raise":
            raise broken
        warnings.warn(str(broken), ConformanceWarning, stacklevel=2)
    return records


def _seconds(option: str, value: float) -> float:
    try:
        return time_limit.seconds_from(value)
    except ValueError as raised:
        raise ValueError(f"{option}: {raised}") from None


def _decided(
    laws: Sequence[Law], subject: Subject, profile: str, until: float
) -> Iterator[Verdict | Told | Record]:
    """Run the laws of the family of the subject, parents before children, flatten first.

    Args:
        laws: laws of any family.
        subject: the subject.
        profile: name of the profile.
        until: when the time is up, by the monotonic clock.
    """
    own = [law for law in laws if law.topic.family == subject.family]
    own.sort(key=lambda law: (len(law.ancestors), law.topic.id != "node.flatten"))
    searched: dict[Law, Breach | None] = {}
    drawn = DrawnRecipes()
    with warnings.catch_warnings():
        # A library may deprecate a function that a law calls.
        warnings.simplefilter("ignore")
        for law in own:
            found = _in_time(law, subject, profile, searched, drawn, until)
            if isinstance(found, Verdict) and (found.kind == "held" or found.breach is not None):
                searched[law] = found.breach
            yield found
    for departure in for_calls.of_subject(subject, own):
        law = law_named(departure.law)
        if children.has_hazard(subject):
            yield children.told(law, subject, profile=profile, departure=departure)
        else:
            yield verdict(law, subject, lambda: None, departure=departure)


def _in_time(
    law: Law,
    subject: Subject,
    profile: str,
    searched: Mapping[Law, Breach | None],
    drawn: DrawnRecipes,
    until: float,
) -> Verdict | Told | Record:
    """Return the verdict of a law, or the record of a law that did not run to its end."""
    left = until - time.monotonic()
    if left <= 0:
        return Record(law.id, subject.name, "not run", message="max_time was spent")
    try:
        with time_limit.limited(left, time_limit.TimeUp):
            if children.has_hazard(subject):
                return children.told(law, subject, profile=profile)
            return _verdict(law, subject, profile, searched, drawn)
    except time_limit.TimeUp:
        if breach := found_so_far(law, subject):
            return Verdict(law, subject, "broken", breach=breach, advisory=law.advisory)
        return Record(law.id, subject.name, "not run", message="max_time was spent while it ran")
    except BaseException as raised:
        if time_limit.ends_the_run(raised) and not isinstance(raised, Exception):
            raise
        # One law must not lose the records of the others.
        return _error(law, subject, raised)


def _error(law: Law, subject: Subject, raised: BaseException) -> Record:
    frames = traceback.extract_tb(raised.__traceback__)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "unknown code"
    told = f"{type(raised).__name__}: {first_line(raised)} at {place}"
    message = f"{law.id} could not be decided for {subject.name}: {told}"
    return Record(law.id, subject.name, "error", advisory=law.advisory, message=message)


def _verdict(
    law: Law,
    subject: Subject,
    profile: str,
    searched: Mapping[Law, Breach | None],
    drawn: DrawnRecipes,
) -> Verdict:
    # A breach with a broken parent is not reported, so its input is not shrunk.
    blocked = any(searched.get(parent) for parent in law.ancestors)
    look = functools.partial(find_breach, law, subject, drawn, profile=profile, shrink=not blocked)
    return verdict(law, subject, look, searched=searched)


def _records(decided: Sequence[Verdict | Told | Record], until: float) -> list[Record]:
    """Turn verdicts into records; of each defect, the script of the first law is run."""
    broken = [one for one in decided if not isinstance(one, Record) and one.fails and _broke(one)]
    groups = defects.grouped(broken, marks=_marks, rank=_rank)
    heads = {id(one): group[0] for group in groups for one in group}
    scripts = itertools.count()
    return [_of(one, heads.get(id(one)), until, scripts) for one in decided]


def _broke(found: Verdict | Told) -> bool:
    return found.kind == "broken" if isinstance(found, Told) else found.breach is not None


def _marks(found: Verdict | Told) -> Iterable[str]:
    if isinstance(found, Told):
        return found.marks
    assert found.breach is not None
    return defects.marks(found.breach)


def _rank(found: Verdict | Told) -> tuple[Any, ...]:
    return defects.rank(law_named(_place(found)[0]))


def _place(found: Verdict | Told) -> tuple[str, str]:
    """Return the law and the subject."""
    if isinstance(found, Told):
        return found.law, found.subject
    return found.law.id, found.subject.name


def _of(
    found: Verdict | Told | Record,
    head: Verdict | Told | None,
    until: float,
    scripts: Iterator[int],
) -> Record:
    if isinstance(found, Record):
        return found
    # A breach that never fails the check is not grouped.
    cause = None if head in (found, None) else _place(head or found)
    if isinstance(found, Verdict):
        run_script = time.monotonic() < until and cause is None and _broke(found)
        run_script = run_script and not found.advisory and next(scripts) < settings.most_scripts
        return _with_script(found, cause, run_script=run_script)
    return Record(
        found.law,
        found.subject,
        found.kind,
        advisory=found.advisory,
        message=told_in_full(found),
        witness=from_content(found.witness) if found.witness else None,
        script=found.script,
        cause=cause,
    )


def told_in_full(found: Told) -> str:
    """Return the report of a law that ran in a child process."""
    script = f"standalone script, {found.answer}:\n\n{found.script}"
    return f"{found.message}\n\n{script}" if found.message else found.reason


def _with_script(found: Verdict, cause: tuple[str, str] | None, *, run_script: bool) -> Record:
    """Return the record of a verdict; its script is not run if the time is up."""
    try:
        with time_limit.limited(_SCRIPT_SECONDS, time_limit.TimeUp):
            return _record(found, cause, run_script=run_script)
    except BaseException as raised:
        if time_limit.ends_the_run(raised) and not isinstance(raised, time_limit.TimeUp):
            raise
        # Its report runs the user's code again.
        return _error(found.law, found.subject, raised)


def _record(found: Verdict, cause: tuple[str, str] | None, *, run_script: bool) -> Record:
    law, subject = _place(found)
    if found.breach is None or found.kind == "known":
        return Record(law, subject, found.kind, advisory=found.advisory, message=found.reason)
    shown = offer(found.breach, run_script=run_script)
    return Record(
        law,
        subject,
        found.kind,
        advisory=found.advisory,
        message=f"{shown.breach}\n\nstandalone script, {shown.answer}:\n\n{shown.script}",
        witness=witness_of(shown.breach),
        script=shown.script,
        cause=cause,
    )
