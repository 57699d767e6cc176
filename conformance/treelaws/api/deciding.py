"""Runs the laws of one subject, each in a child process where a class may end this one."""

from __future__ import annotations

import functools
import time
import traceback
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from treelaws.children.told import Told
from treelaws.core.departures import ways
from treelaws.core.failure import Breach
from treelaws.core.law import Law
from treelaws.core.limits import time_limit
from treelaws.core.mismatch import first_line
from treelaws.core.stopped import found_so_far
from treelaws.core.subject import Subject
from treelaws.core.verdict import Verdict, verdict
from treelaws.draws.drawn_recipes import DrawnRecipes
from treelaws.draws.holding import find_breach
from treelaws.findings import for_calls
from treelaws.laws import law_named

from . import children
from .records import Record


def decided(
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
            if isinstance(found, Verdict) and (found.kind == "held" or _breaks_others(found)):
                searched[law] = found.breach
            yield found
    for departure in for_calls.of_subject(subject, own):
        law = law_named(departure.law)
        if children.has_hazard(subject):
            yield children.told(law, subject, profile=profile, departure=departure)
        else:
            yield verdict(law, subject, lambda: None, departure=departure)


def _breaks_others(found: Verdict) -> bool:
    """Return whether a law is broken on inputs that no known departure covers."""
    return found.breach is not None and not any(ways.covering(found.breach))


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
        return undecided(law, subject, raised)


def undecided(law: Law, subject: Subject, raised: BaseException) -> Record:
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
