"""The ways in which a law breaks: two breaches of one way are most likely one bug.

A search ends at its first breach. With `--all-breaches` the law is searched again, and breaches of
the ways that are known by then are passed by, so that another bug behind them shows.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from treelaws.core import settings
from treelaws.core.defects import line_at_fault
from treelaws.core.failure import Breach
from treelaws.core.law import Law
from treelaws.core.mismatch import Mismatch, first_line
from treelaws.core.subject import Subject

from . import known
from .departure import ANY_DIFFERENCE, Departure

# What a message says about one input: names in quotes, and what stands in brackets.
_NAMED = re.compile(r"'[^']*'|\([^()]*\)|\[.*\]|<[^<>]*>")
_WORD = re.compile(r"\b[A-Za-z]+\b")


class Way(NamedTuple):
    """The way in which a law breaks.

    Args:
        kind: the name of the exception, or what differs, such as `"structure"`.
        place: file and line that raised, or the words of the message if only JAX did; empty for a
            difference.
    """

    kind: str
    place: str = ""


def way_of(breach: Breach) -> Way:
    """Return the way in which a breach breaks its law."""
    cause = breach.cause
    if isinstance(cause, Mismatch):
        return Way(cause.aspect)
    return Way(type(cause).__name__, line_at_fault(cause) or _words(first_line(cause)))


def _words(message: str) -> str:
    """Return a message without what it says about one input: names and numbers."""
    return " ".join(_WORD.findall(_NAMED.sub("", message)))


# The ways that the search under way passes by.
_passed: dict[tuple[Law, Subject], set[Way]] = {}
# The ways in which the witnesses of known departures break a law, if they do.
_witnessed: dict[tuple[Law, Subject, str], Way | None] = {}


@contextlib.contextmanager
def passing_by(law: Law, subject: Subject) -> Iterator[set[Way]]:
    """Within it, searches pass by breaches of the ways in the set that it yields."""
    _passed[law, subject] = ways = set()
    try:
        yield ways
    finally:
        del _passed[law, subject]


def is_passed(breach: Breach) -> bool:
    """Return whether a breach is of a way that the search under way passes by."""
    return way_of(breach) in _passed.get((breach.law, breach.subject), ())


def is_recorded(breach: Breach, replay: Callable[[Law, Subject, Departure], Breach | None]) -> bool:
    """Return whether a known departure that covers an input records the way in which it breaks.

    Args:
        breach: the breach.
        replay: runs a law on the witness of a known departure of a subject.
    """
    differs, kind = isinstance(breach.cause, Mismatch), way_of(breach).kind
    for one in covering(breach):
        if kind in (one.raises, *one.also) or (differs and ANY_DIFFERENCE in one.also):
            return True
        place = (breach.law, breach.subject, one.witness)
        if differs and not one.raises and place not in _witnessed:
            again = replay(breach.law, breach.subject, one)
            _witnessed[place] = None if again is None else way_of(again)
        if differs and not one.raises and _is_of(kind, _witnessed[place], one):
            return True
    return False


def _is_of(kind: str, recorded: Way | None, entry: Departure) -> bool:
    # The witness of a race does not break the law in each run.
    return bool(entry.race) if recorded is None else kind == recorded.kind


def covering(breach: Breach) -> Iterator[Departure]:
    """Yield the known departures of a law that cover the input on which it broke.

    There are none without `--all-breaches`, since their inputs are not drawn then.
    """
    if settings.within_known:
        yield from known.those_covering((breach.law,), breach.subject, breach.recipe.features)
