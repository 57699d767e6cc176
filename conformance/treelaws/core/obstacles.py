"""Obstacles: reasons not to run a law on a subject, checked before the search."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Hashable
from typing import NamedTuple

from hypothesis.errors import HypothesisException

from hypothesis_pytrees import Recipe
from treelaws.compat import devices
from treelaws.compat.hypothesis import same_draws

from . import conditions, rejection, settings
from .departures import known
from .departures.departure import Departure
from .failure import Breach, UnexpectedError
from .law import Law, asks_for_guest
from .limits.time_limit import Expired, ends_the_run, limited
from .mismatch import first_line
from .search import cached_search, draw_cases, run
from .stopped import FIRST_TRIALS, TRIALS, gave_up, no_place
from .subject import Subject

# Mixtures whose guest is known to keep its laws.
sound_guests: weakref.WeakSet[Subject] = weakref.WeakSet()


class Obstacle(NamedTuple):
    """Why a law is not run on a subject.

    Args:
        verdict: `"skipped"`, `"known"` or `"blocked"`.
        reason: one line.
    """

    verdict: str
    reason: str


def obstacle(law: Law, subject: Subject, departure: Departure | None = None) -> Obstacle | None:
    """Return why a law cannot run on a subject, or `None`.

    Called in the setup of a test, not at collection, so that libraries whose tests are deselected
    are never imported.

    Args:
        law: the law.
        subject: the subject to run it on.
        departure: the known departure whose witness is replayed instead; default none.
    """
    if subject.absent:
        return Obstacle("skipped", subject.absent)
    if missing := subject.missing(law.needs):
        if missing == [devices.NEED]:
            return Obstacle("skipped", devices.lacking())
        return Obstacle("skipped", f"{subject.name} does not claim {', '.join(missing)}")
    if departure is None and (reason := gave_up(subject)):
        return Obstacle("blocked", reason)
    # With `--all-breaches`, the law is searched for another way in which it breaks.
    own = () if settings.within_known else (law,)
    if departure is None and (found := known.covering_every_case((*own, *law.ancestors), subject)):
        return Obstacle("known", covered(found, subject))
    return _in_the_guest(law, subject) if subject.guest is not None else None


def covered(found: Departure, subject: Subject) -> str:
    """Say which known departure covers every case of a subject."""
    if found.about(subject.name):
        return f"the known departure {found.name} covers every case; its witness is replayed"
    whose = f"{subject.base} has the known departure {found.finding or found.name}"
    return f"{whose} ({found.issue}), which every case of {subject.name} shares"


@functools.cache
def _rejects_every_case(law: Law, subject: Subject) -> str:
    """Return why a node type has no input for a law; empty if it has one."""
    conditional = conditions.are_set_on(law.strategy(subject))
    if subject.family != "node" or (subject.shipped and not conditional):
        return ""
    reason = ""
    for count in (1, TRIALS):  # Most often the first case is an input.
        for recipe in draw_cases(law, subject, count):
            reason = _rejection(recipe, subject)
            if not reason:
                return ""
    tags = sorted({tag for kind in subject.kinds for tag in kind.features})
    if reason or not tags:
        # If the kinds have no tags, the search says why the law has no input.
        return reason
    return f"this law takes no instance of {subject.name} ({', '.join(tags)})"


def _rejection(recipe: Recipe, subject: Subject) -> str:
    """Return why a recipe is not an input of a law about nodes; empty if it is one."""
    try:
        with limited():
            if unmet := conditions.unmet(recipe):
                return f"no instance of {subject.name} is an input of this law: {unmet}"
            if subject.shipped:
                return ""
            recipe.run(subject.namespace)
    except Expired:
        # The search reports it.
        return ""
    except BaseException as raised:
        if ends_the_run(raised):
            raise
        error = f"({type(raised).__name__}: {first_line(raised)})"
        if rejection.REPLACED_LEAVES in recipe.features:
            return f"{subject.name} rejects every value that this law substitutes {error}"
        if rejection.by_constructor(raised):
            return f"{subject.name}: the constructor rejects each generated call {error}"
    return ""


def without_input(law: Law, subject: Subject) -> Obstacle | None:
    """Return why no instance of a node type is an input of a law, or `None`.

    A search of a user's class that decides no case finds it out too.
    """
    reason = _rejects_every_case(law, subject)
    return Obstacle("skipped", reason) if reason else None


def _in_the_guest(law: Law, mixture: Subject) -> Obstacle | None:
    """Return why a law cannot run on trees that hold a user's nodes, or `None`."""
    guest = mixture.guest
    assert guest is not None
    for alone in mixture.guest_laws():
        if found := known.covering_every_case((alone, *alone.ancestors), guest):
            return Obstacle(
                "known", f"the known departure {found.name} covers every case of {guest.name}"
            )
    # The laws of a guest with a hazard run in child processes, see `api.children`.
    if guest.hazard is None and (cause := law_broken_by_guest(mixture)):
        return Obstacle("blocked", f"{cause} is broken for {guest.name}")
    return None


def without_place(law: Law, mixture: Subject) -> Obstacle | None:
    """Return why no tree of a law can hold a user's node, or `None`; a search finds it out too."""
    if mixture.guest is None or _fits_somewhere(law, mixture):
        return None
    return Obstacle("skipped", no_place(mixture.guest))


@functools.cache
def law_broken_by_guest(mixture: Subject) -> str:
    """Return the id of the first law that a guest breaks by itself; empty if there is none.

    Laws are ignored if a known departure covers every case of them.
    """
    guest = mixture.guest
    assert guest is not None
    if mixture in sound_guests:
        return ""
    for law in mixture.guest_laws():
        known_whole = known.covering_every_case((law, *law.ancestors), guest)
        if not known_whole and cached_search(law, guest):
            return law.id
    return ""


# The inputs of laws, and the subjects, of which no tree that was drawn can hold other nodes.
_without_trees: set[tuple[Hashable, str]] = set()


@functools.cache
def _fits_somewhere(law: Law, mixture: Subject) -> bool:
    assert mixture.guest is not None
    drawn = (same_draws(law.case), mixture.name)
    if drawn in _without_trees:
        return False
    kind = mixture.guest.kind
    for count in (FIRST_TRIALS, TRIALS):
        holding = (recipe for recipe in draw_cases(law, mixture, count) if kind in recipe.features)
        if any(_reaches_verdict(law, mixture, recipe) for recipe in holding):
            return True
        if not asks_for_guest(law, mixture):
            _without_trees.add(drawn)
            break
    return False


def _reaches_verdict(law: Law, mixture: Subject, recipe: Recipe) -> bool:
    """Return whether the law decides a case, rather than the guest rejecting it."""
    try:
        run(law, mixture, recipe)
    except UnexpectedError as error:
        return not rejection.rejected(error)
    except (Breach, HypothesisException):
        return True
    return True
