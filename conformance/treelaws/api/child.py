"""Runs a law in a child process, which has imported the suite and computed nothing before."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import operator
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis_pytrees import Recipe
from treelaws.children.configuration import configure
from treelaws.children.hazard import Hazard
from treelaws.children.processes import Send
from treelaws.children.told import Told
from treelaws.core import defects, obstacles, settings, stopped
from treelaws.core.departures import known, ways
from treelaws.core.departures.departure import Departure
from treelaws.core.departures.reading import Contents
from treelaws.core.examples.profiles import examples_of
from treelaws.core.failure import Breach
from treelaws.core.law import Law
from treelaws.core.limits import time_limit
from treelaws.core.mismatch import Mismatch
from treelaws.core.search import cached_search, run as search_run, search
from treelaws.core.subject import Subject
from treelaws.core.verdict import Verdict, verdict
from treelaws.findings.candidates import candidate_of
from treelaws.laws import law_named
from treelaws.reproduce import behind
from treelaws.reproduce.script import Offer, offer
from treelaws.reproduce.witness import from_content, witness_of
from treelaws.subjects.registry import subject as subject_named
from treelaws.subjects.user import mixtures, recreated

# Time limit of an input of a law on a sound class.
_WARM_SECONDS = 60.0


@dataclasses.dataclass(frozen=True)
class Job:
    """A law to run, and what the process has to know.

    Args:
        hazard: how to create the user's subject.
        base: name of the library whose trees hold the user's nodes; empty for the node type itself.
        law: id of the law.
        departure: the known departure whose witness is replayed instead; default none.
        profile: name of the profile.
        edition: the edition of the laws.
        case_seconds: time limit of an input.
        known: files of known departures that were added.
        jax: values of `jax.config` by name.
        broken: whether laws on which this one depends are broken on the same subject, by id.
        marks: those of broken laws whose script has run.
        run_script: whether the script of a broken law is run.
        candidate: whether the entry of a known departure is asked for.
        most_breaches: in how many ways the law is found to break.
        within_known: whether it runs on what known departures cover.
        behind: the witness of the first breach, behind which to search on; `None` to search for it.
    """

    hazard: Hazard
    base: str
    law: str
    departure: Departure | None
    profile: str
    edition: str
    case_seconds: float
    known: Mapping[Path, Contents]
    jax: Mapping[str, Any]
    broken: Mapping[str, bool]
    marks: frozenset[str]
    run_script: bool
    candidate: bool
    most_breaches: int
    within_known: bool
    behind: Mapping[str, Any] | None = None


def run(send: Send, job: Job) -> Told:
    """Run a law and return its outcome.

    Args:
        send: called with each input before the law runs on it.
        job: the law and its subject.
    """
    settings.profile, settings.edition = job.profile, job.edition
    settings.most_breaches, settings.within_known = job.most_breaches, job.within_known
    configure(job.jax)
    known.give(job.known)
    law, subject = law_named(job.law), _subjects(job.hazard)[job.base]
    with warnings.catch_warnings(), time_limit.case_seconds(job.case_seconds):
        # A library may deprecate a function that a law calls.
        warnings.simplefilter("ignore")
        _warm(law, subject)
        stopped.announce = lambda law, recipe: send(recipe)
        if job.behind is not None:
            return _behind(law, subject, job)
        return _told(_verdict(job, law, subject), job)


@functools.cache
def _subjects(hazard: Hazard) -> Mapping[str, Subject]:
    """Return the subject of the class, and those of libraries whose trees hold it, by library."""
    found = _imported(hazard.found)
    instances = _imported(hazard.instances) if hazard.instances else None
    guest = recreated(found, instances, hazard)
    hosts = {one.base: one for one in mixtures.mixtures(guest)}
    # The process that sends the jobs has run the laws of the guest.
    obstacles.sound_guests.update(hosts.values())
    return {"": guest, **hosts}


def _warm(law: Law, subject: Subject) -> None:
    """Run a law without the class: the first run in a process imports, which takes long."""
    with time_limit.case_seconds(_WARM_SECONDS):
        stopped.announce = lambda law, recipe: None
        cached_search(law, subject.host or _sound())


@functools.cache
def _sound() -> Subject:
    return subject_named("dict")


def _imported(place: str) -> Any:
    module, _, name = place.partition(":")
    return operator.attrgetter(name)(importlib.import_module(module))


def _verdict(job: Job, law: Law, subject: Subject) -> Verdict:
    searched = {
        law_named(one): _stand_in(law_named(one), subject) if broken else None
        for one, broken in job.broken.items()
    }
    examples = examples_of(law, subject, profile=job.profile)
    shrink = not any(job.broken.values())
    find_breach = functools.partial(search, law, subject, examples=examples, shrink=shrink)
    return verdict(law, subject, find_breach, departure=job.departure, searched=searched)


def _stand_in(law: Law, subject: Subject) -> Breach:
    return Breach(law, subject, Recipe(), Mismatch("", "fact", "", ""))


def _told(found: Verdict, job: Job) -> Told:
    plain = Told(job.law, found.subject.name, found.kind, found.reason, found.advisory)
    if found.breach is None or found.kind != "broken":
        return plain
    marks = defects.marks(found.breach)
    # One script of each defect is run, which takes seconds.
    run_script = job.run_script and not found.advisory and not job.marks & {*marks}
    shown = offer(found.breach, run_script=run_script)
    witness = witness_of(shown.breach)
    return dataclasses.replace(
        plain,
        message=str(shown.breach),
        difference=shown.breach.difference.strip("\n"),
        witness=witness.content(),
        script=shown.script,
        answer=shown.answer,
        marks=marks,
        candidates=_candidates(shown, found.breach, job),
        covered=any(ways.covering(found.breach)),
    )


def _behind(law: Law, subject: Subject, job: Job) -> Told:
    """Return what is told of the breaches behind the first, which the parent has by now."""
    plain = Told(law.id, subject.name, "broken", advisory=law.advisory)
    recipe = from_content(job.behind or {}).recipe
    try:
        search_run(law, subject, recipe)
    except Breach as first:
        examples = examples_of(law, subject, profile=job.profile)
        found = list(behind.behind(first, examples=examples))
    else:
        # It breaks the law only at times.
        return plain
    offers = [offer(one, run_script=job.run_script and not law.advisory) for one in found]
    pairs = zip(offers, found, strict=True)
    candidates = (one for shown, breach in pairs for one in _candidates(shown, breach, job))
    return dataclasses.replace(
        plain,
        candidates=tuple(candidates),
        behind=tuple(map(behind.content, offers)),
        messages=tuple(map(behind.message, offers)),
    )


def _candidates(shown: Offer, found: Breach, job: Job) -> tuple[str, ...]:
    return (candidate_of(shown.breach, found).told(),) if job.candidate else ()
