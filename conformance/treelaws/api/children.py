"""Runs the laws of a user's class with a hazard, each in a child process.

A class has a hazard if a trial of one instance ended its process, did not return from C or changed
the state that all code shares. The death of a child breaks the law that ran in it.
"""

from __future__ import annotations

import atexit
import dataclasses

from treelaws.children import processes, told as outcomes
from treelaws.children.configuration import configuration
from treelaws.children.processes import ChildEnded, Worker
from treelaws.children.told import Told
from treelaws.core import defects, settings
from treelaws.core.departures import known
from treelaws.core.departures.departure import Departure
from treelaws.core.failure import DidNotEnd, EndedProcess
from treelaws.core.law import Law
from treelaws.core.limits.time_limit import Expired
from treelaws.core.obstacles import obstacle
from treelaws.core.stopped import did_not_end
from treelaws.core.subject import Subject
from treelaws.findings.candidates import Candidate
from treelaws.reproduce.script import offer
from treelaws.reproduce.witness import witness_of

from . import child

_PRELOAD = f"{__package__}.preload"
# Each takes the memory of an interpreter with JAX.
_MOST_WORKERS = 4
_workers: dict[Subject, Worker] = {}


@atexit.register
def _close() -> None:
    while _workers:
        _workers.popitem()[1].close()


def has_hazard(subject: Subject) -> bool:
    """Return whether the laws of a subject run in child processes."""
    return subject.users is not None and subject.users.hazard is not None


def told(
    law: Law,
    subject: Subject,
    *,
    profile: str = "",
    departure: Departure | None = None,
    candidate: bool = False,
) -> Told:
    """Return the outcome of a law on a subject with a hazard; it runs at most once.

    Args:
        law: the law.
        subject: the user's node type, or a library whose trees hold it.
        profile: number of examples; default that of the command line.
        departure: the known departure whose witness is replayed instead; default none.
        candidate: also write the entry of a known departure; default `False`.
    """
    place = (law.id, departure.name if departure else "")
    found = outcomes.told_on(subject)
    if place not in found:
        profile = profile or settings.profile
        found[place], job = _outcome(law, subject, profile, departure, candidate)
        if job is not None and found[place].kind == "broken" and settings.most_breaches > 1:
            # If the time is up meanwhile, the first breach is told.
            found[place] = _with_behind(found[place], job, subject)
    return found[place]


def _with_behind(first: Told, job: child.Job, subject: Subject) -> Told:
    """Add the breaches behind the first, or why the search for them ended."""
    guest = subject.users
    assert guest is not None
    try:
        more = _worker(guest).ask(dataclasses.replace(job, behind=first.witness))
    except ChildEnded as ended:
        return _cut_off(first, ended.told)
    except RuntimeError as raised:
        return _cut_off(first, f"failed: {raised}")
    candidates = first.candidates + more.candidates
    return dataclasses.replace(
        first, candidates=candidates, behind=more.behind, messages=more.messages
    )


def _cut_off(first: Told, why: str) -> Told:
    reason = f"the search for other breaches {why}"
    return dataclasses.replace(first, reason=reason, messages=(reason,))


def _outcome(
    law: Law, subject: Subject, profile: str, departure: Departure | None, candidate: bool
) -> tuple[Told, child.Job | None]:
    """Return the outcome of a law, and the job of the child process that has told it."""
    guest = subject.users
    assert guest is not None
    assert guest.hazard is not None
    if stands := obstacle(law, subject, departure):
        return Told(law.id, subject.name, stands.verdict, stands.reason), None
    if not guest.hazard.importable or not processes.are_possible():
        return Told(law.id, subject.name, "blocked", _unrunnable(guest)), None
    if cause := _broken_by_guest(subject, profile):
        reason = f"{cause} is broken for {guest.name}"
        return Told(law.id, subject.name, "blocked", reason), None
    before = [one for one in law.ancestors if not subject.missing(one.needs)]
    parents = [told(one, subject, profile=profile) for one in before]
    # What breaks only where known departures cover it is not what breaks other laws elsewhere.
    broken = {one.law: one.kind == "broken" and not one.covered for one in parents}
    job = child.Job(
        hazard=guest.hazard,
        base="" if subject is guest else subject.base,
        law=law.id,
        departure=departure,
        profile=profile,
        edition=settings.edition,
        case_seconds=settings.case_seconds,
        known=known.files(),
        jax=configuration(),
        broken=broken,
        marks=frozenset(mark for one in outcomes.told_on(guest).values() for mark in one.marks),
        run_script=outcomes.broken() < settings.most_scripts,
        candidate=candidate,
        most_breaches=settings.most_breaches,
        within_known=settings.within_known,
    )
    try:
        answer = _worker(guest).ask(job)
    except ChildEnded as ended:
        cause = next((one for one in broken if broken[one]), "")
        return _ended(law, subject, ended, cause), None
    except RuntimeError as raised:
        reason = f"{law.id} could not be decided for {subject.name}: {raised}"
        return Told(law.id, subject.name, "error", reason, law.advisory), None
    return _with_note(answer, guest), job


def _worker(guest: Subject) -> Worker:
    """Return the worker of a class; what it changes is seen by its own laws alone."""
    worker = _workers.pop(guest, None) or Worker(child.run, _PRELOAD)
    while len(_workers) >= _MOST_WORKERS:
        _workers.pop(next(iter(_workers))).close()
    _workers[guest] = worker
    return worker


def _unrunnable(guest: Subject) -> str:
    assert guest.hazard is not None
    cure = "define the class, and a function that makes it, in a module that can be imported"
    if not processes.are_possible():
        cure = "this process cannot have any"
    return f"{guest.hazard.told}, so its laws run in child processes; {cure}"


def _broken_by_guest(subject: Subject, profile: str) -> str:
    """Return the id of the first law that a guest breaks by itself; empty if there is none."""
    if subject.guest is None:
        return ""
    alone = (told(one, subject.guest, profile=profile) for one in subject.guest_laws())
    return next((one.law for one in alone if one.kind == "broken"), "")


def _ended(law: Law, subject: Subject, ended: ChildEnded, cause: str) -> Told:
    """Return the outcome of a law whose process has ended."""
    kind = DidNotEnd if ended.told.startswith("did not end") else EndedProcess
    breach = did_not_end(law, subject, Expired(ended.told), ended.last, kind)
    if cause:
        return Told(law.id, subject.name, "blocked", f"{cause} is broken for {subject.name}")
    shown = offer(breach, run_script=False)
    problem = "the law ended its process, so that its witness cannot be replayed"
    return Told(
        law.id,
        subject.name,
        "broken",
        advisory=law.advisory,
        message=str(breach),
        difference=breach.difference.strip("\n"),
        witness=witness_of(breach).content(),
        script=shown.script,
        answer=shown.answer,
        marks=defects.marks(breach) or (f"{subject.name}: {ended.told}",),
        candidates=(Candidate(law.id, subject.name, problem=problem).told(),),
    )


def _with_note(answer: Told, guest: Subject) -> Told:
    """Say why a law that held ran in a child process."""
    assert guest.hazard is not None
    if answer.kind != "held":
        return answer
    reason = f"ran in a child process, because {guest.hazard.told}"
    return Told(answer.law, answer.subject, "held", reason, answer.advisory)
