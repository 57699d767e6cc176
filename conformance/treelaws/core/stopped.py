"""Searches that were stopped: by a case that does not end, or for want of inputs."""

from __future__ import annotations

import weakref

from hypothesis.errors import FailedHealthCheck, Unsatisfiable

from hypothesis_pytrees import Recipe

from . import settings
from .failure import Breach, DidNotEnd
from .law import Law, why_undrawn
from .subject import Subject
from .time_limit import Expired

# Errors of Hypothesis that say that a law has no input, or too few.
NO_INPUT = (Unsatisfiable, FailedHealthCheck)
# Time limit of further cases, in seconds, once a case of a subject did not end.
_NEXT_SECONDS = 10.0
# After this many laws that did not end, the other laws of a user's node type do not run.
_MOST = 5
# The laws that did not end, by subject.
_endless: weakref.WeakKeyDictionary[Subject, set[str]] = weakref.WeakKeyDictionary()
# The shortest breach of each search under way, in case that it does not end.
_shortest: dict[tuple[Law, Subject], Breach] = {}


class NoInput(Exception):
    """A user's node type has no usable input for a law; the message says why."""


def seconds_for(subject: Subject) -> float:
    """Return the time limit of a case."""
    again = (subject.guest or subject) in _endless
    return min(_NEXT_SECONDS, settings.case_seconds) if again else settings.case_seconds


def gave_up(subject: Subject) -> str:
    """Return why no more laws run on a user's node type; empty if they do."""
    theirs = subject.users
    if theirs is None or len(_endless.get(theirs, ())) < _MOST:
        return ""
    return f"{_MOST} laws did not end for {theirs.name}"


def did_not_end(
    law: Law, subject: Subject, expired: Expired, recipe: Recipe | None = None
) -> DidNotEnd:
    """Return the breach of a law whose case did not end.

    Args:
        law: the law.
        subject: the subject that it ran on.
        expired: the limit that has passed.
        recipe: the input; default the first way to write an instance, for an input that could not
            be drawn.
    """
    _endless.setdefault(subject.guest or subject, set()).add(law.id)
    return DidNotEnd(law, subject, recipe or _first_instance(subject), expired)


def _first_instance(subject: Subject) -> Recipe:
    for kind in (subject.guest or subject).kinds:
        return Recipe(kind.definitions, (f"node = {kind.text(['1.0'] * kind.arity)}",))
    return Recipe(statements=("# Drawing an input did not end.",))


def keep_shortest(breach: Breach) -> None:
    """Remember a breach, if it is the shortest of its search so far."""
    best = _shortest.get((breach.law, breach.subject))
    if best is None or len(breach.recipe.source()) < len(best.recipe.source()):
        _shortest[breach.law, breach.subject] = breach.with_traceback(None)


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
