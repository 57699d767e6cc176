"""What stands in the way of running a law on a subject, found out before its search."""

from __future__ import annotations

import functools
from typing import NamedTuple

from hypothesis.errors import HypothesisException

from hypothesis_pytrees import Recipe

from . import rejection
from .departures import known
from .departures.departure import Departure
from .failure import Breach, UnexpectedError
from .law import Law
from .mismatch import first_line
from .search import cached_search, draw_cases, run
from .subject import Subject

# A law that finds no input in so many cases is skipped.
_TRIALS = 12


class Obstacle(NamedTuple):
    """Why a law is not run on a subject.

    Args:
        verdict: `"skipped"`, `"known"` or `"blocked"`.
        reason: one line.
    """

    verdict: str
    reason: str


def obstacle(law: Law, subject: Subject, departure: Departure | None = None) -> Obstacle | None:
    """Tell why a law cannot be run on a subject, or give `None`.

    Asked when a test is set up, not when it is collected, so that no library is imported whose
    tests were not chosen.

    Args:
        law: the law.
        subject: what to run it on.
        departure: the known departure whose witness is to be replayed instead; default none.
    """
    if subject.absent:
        return Obstacle("skipped", subject.absent)
    if missing := subject.missing(law.needs):
        return Obstacle("skipped", f"{subject.name} does not claim {', '.join(missing)}")
    if departure is None and (name := known.covering_every_case((law, *law.ancestors), subject)):
        reason = f"the known departure {name} covers every case; its witness is replayed"
        return Obstacle("known", reason)
    if departure is None and (reason := _rejects_every_case(law, subject)):
        return Obstacle("skipped", reason)
    return _in_the_guest(law, subject) if subject.guest is not None else None


@functools.cache
def _rejects_every_case(law: Law, subject: Subject) -> str:
    """Tell why a law has no input among a user's nodes; empty where it has."""
    if subject.shipped or subject.family != "node":
        return ""
    error = ""
    for recipe in draw_cases(law, subject, _TRIALS):
        if rejection.REPLACED_LEAVES not in recipe.features:
            return ""
        try:
            recipe.build()
        except Exception as raised:
            error = f"{type(raised).__name__}: {first_line(raised)}"
        else:
            return ""
    return f"{subject.name} rejects every value that this law substitutes ({error})"


def _in_the_guest(law: Law, mixture: Subject) -> Obstacle | None:
    """Tell why a law cannot be run on trees that hold a user's nodes, or give `None`."""
    guest = mixture.guest
    assert guest is not None
    for alone in mixture.guest_laws():
        if name := known.covering_every_case((alone, *alone.ancestors), guest):
            return Obstacle(
                "known", f"the known departure {name} covers every case of {guest.name}"
            )
    if cause := law_broken_by_guest(mixture):
        return Obstacle("blocked", f"{cause} is broken for {guest.name}")
    if not _fits_somewhere(law, mixture):
        return Obstacle("skipped", f"this law never generates a tree that a {guest.kind} fits into")
    return None


@functools.cache
def law_broken_by_guest(mixture: Subject) -> str:
    """Name the first law that a guest must keep by itself and breaks; empty where none.

    Laws with a known departure that covers every case are left out.
    """
    guest = mixture.guest
    assert guest is not None
    for law in mixture.guest_laws():
        known_whole = known.covering_every_case((law, *law.ancestors), guest)
        if not known_whole and cached_search(law, guest):
            return law.id
    return ""


@functools.cache
def _fits_somewhere(law: Law, mixture: Subject) -> bool:
    assert mixture.guest is not None
    kind = mixture.guest.kind
    holding = (recipe for recipe in draw_cases(law, mixture, _TRIALS) if kind in recipe.features)
    return any(_reaches_verdict(law, mixture, recipe) for recipe in holding)


def _reaches_verdict(law: Law, mixture: Subject, recipe: Recipe) -> bool:
    """Say whether a case comes to a verdict instead of being rejected by the guest."""
    try:
        run(law, mixture, recipe)
    except UnexpectedError as error:
        return not rejection.rejected(error)
    except (Breach, HypothesisException):
        return True
    return True
