"""Searches that were stopped: by a case that does not end, or for want of inputs."""

from __future__ import annotations

import weakref
from collections.abc import Callable

from hypothesis.errors import FailedHealthCheck, Unsatisfiable

from hypothesis_pytrees import Recipe

from . import settings
from .failure import Breach, DidNotEnd
from .law import Law, asks_for_guest, fits_guest, why_undrawn
from .limits.time_limit import Expired
from .subject import Subject

# Errors of Hypothesis that say that a law has no input, or too few.
NO_INPUT = (Unsatisfiable, FailedHealthCheck)
# Cases drawn before a law without a usable input is skipped.
TRIALS = 30
# Cases drawn before a law is skipped if none had a tree that can hold other nodes.
FIRST_TRIALS = 20
# As many as are drawn until one holds the user's node, if a node fits into some.
_MOST_TRIALS = 120
# Time limit of further cases, in seconds, once a case of a subject did not end.
_NEXT_SECONDS = 10.0
# After this many laws that did not end, the other laws of a user's node type do not run.
_MOST = 5
# The laws that did not end, by subject.
_endless: weakref.WeakKeyDictionary[Subject, set[str]] = weakref.WeakKeyDictionary()
# Called with each input before its law runs: in a child process, and where inputs are counted.
announce: Callable[[Law, Recipe], None] = lambda law, recipe: None
# The shortest breach of each search under way, in case that it does not end.
_shortest: dict[tuple[Law, Subject], Breach] = {}


class NoInput(Exception):
    """A user's node type has no usable input for a law; the message says why."""


class Enough(BaseException):
    """A search has drawn enough; not an `Exception`, so that Hypothesis lets it pass."""


class Counted:
    """The cases of one search; a library's trees often do not hold the user's node.

    Args:
        law: the law.
        subject: the subject that it runs on.
        wanted: number of cases to draw.
    """

    def __init__(self, law: Law, subject: Subject, wanted: int) -> None:
        self._law, self._subject, self._wanted = law, subject, wanted
        self._drawn = self._decided = 0

    @property
    def most(self) -> int:
        """The number of cases to draw at most, until one holds the user's node."""
        return self._wanted if self._subject.guest is None else max(self._wanted, _MOST_TRIALS)

    def add(self, decided: bool) -> None:
        """Count a case, and whether the law decided it.

        Raises:
            Enough: no more cases are needed.
        """
        self._drawn, self._decided = self._drawn + 1, self._decided + decided
        if self._subject.guest is None:
            return
        if (self._decided and self._drawn >= self._wanted) or self._hopeless():
            raise Enough

    def _hopeless(self) -> bool:
        if self._drawn >= TRIALS:
            return not fits_guest(self._law, self._subject)
        return self._drawn >= FIRST_TRIALS and not asks_for_guest(self._law, self._subject)

    def check(self) -> None:
        """Fail if the law decided no case with a user's node, and found no breach.

        Raises:
            NoInput: it decided none.
        """
        if self._subject.users is None or self._decided:
            return
        guest = self._subject.guest
        raise NoInput(no_place(guest) if guest else no_input(self._law, self._subject))


def no_place(guest: Subject) -> str:
    """Return why a law does not run on trees that hold a user's node."""
    return f"this law never generates a tree that a {guest.kind} fits into"


def seconds_for(subject: Subject) -> float:
    """Return the time limit of a case."""
    again = (subject.guest or subject) in _endless
    return min(_NEXT_SECONDS, settings.case_seconds) if again else settings.case_seconds


def gave_up(subject: Subject) -> str:
    """Return why no more laws run on a user's node type; empty if they do."""
    theirs = subject.users
    if theirs is None or len(_endless.get(theirs, ())) < _MOST:
        return ""
    return f"{_MOST} laws did not finish for {theirs.name}"


def did_not_end(
    law: Law,
    subject: Subject,
    expired: Expired,
    recipe: Recipe | None = None,
    kind: type[DidNotEnd] = DidNotEnd,
) -> DidNotEnd:
    """Return the breach of a law whose case did not end.

    Args:
        law: the law.
        subject: the subject that it ran on.
        expired: the limit that has passed.
        recipe: the input; default the first way to write an instance, for an input that could not
            be drawn.
        kind: the type of the breach; default `DidNotEnd`.
    """
    _endless.setdefault(subject.guest or subject, set()).add(law.id)
    return kind(law, subject, recipe or _first_instance(subject), expired)


def _first_instance(subject: Subject) -> Recipe:
    for kind in (subject.guest or subject).kinds:
        return Recipe(kind.definitions, (f"node = {kind.text(['1.0'] * kind.arity)}",))
    return Recipe(statements=("# Drawing an input did not end.",))


def keep_shortest(breach: Breach) -> None:
    """Remember a breach, if it is the shortest of its search so far."""
    best = _shortest.get((breach.law, breach.subject))
    if best is None or len(breach.recipe.source()) < len(best.recipe.source()):
        _shortest[breach.law, breach.subject] = breach.with_traceback(None)


def breaks(law: Law, subject: Subject) -> bool:
    """Return whether the search under way has found a breach, which is being shrunk."""
    return (law, subject) in _shortest


def found_so_far(law: Law, subject: Subject) -> Breach | None:
    """Return the shortest breach of a search that was stopped, and forget it."""
    return _shortest.pop((law, subject), None)


def stopped(law: Law, subject: Subject, expired: Expired) -> Breach:
    """Return the breach of a search that a case without end has stopped."""
    unended = expired.breach or did_not_end(law, subject, expired)
    return found_so_far(law, subject) or unended


def no_input(law: Law, subject: Subject) -> str:
    """Return why a law has no input for a user's node type."""
    error = why_undrawn(law, subject)
    because = f" ({error})" if error else ""
    return (
        f"almost no input of this law can be made of a {(subject.users or subject).name}{because}"
    )
