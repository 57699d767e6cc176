"""Behind a breach: searches on for breaches of other kinds, which the first one hides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis.errors import Flaky, Unsatisfiable

from treelaws.core import settings
from treelaws.core.departures import ways
from treelaws.core.examples.profiles import examples_of
from treelaws.core.failure import Breach, DidNotEnd
from treelaws.core.law import Law
from treelaws.core.search import search
from treelaws.core.stopped import NoInput
from treelaws.core.subject import Subject

from .script import Offer
from .witness import witness_of

_HEAD = "It also breaks in another way.\n\n"


def behind(
    first: Breach, *, examples: int | None = None, start: int | None = None, shrink: bool = True
) -> Iterator[Breach]:
    """Yield the breaches of a law that differ from the first in more than their input.

    Each has a search of its own, which passes by the breaches that were found before. There are at
    most as many as `--all-breaches` allows, less the first.

    Args:
        first: the breach that was found.
        examples: maximum number of cases of a search; default that of the profile.
        start: seed of the searches; by default the inputs are the same each time.
        shrink: shrink the inputs; default `True`.
    """
    law, subject = first.law, first.subject
    examples = examples or examples_of(law, subject)
    last = first
    with ways.passing_by(law, subject) as passed:
        for _ in range(settings.most_breaches - 1):
            passed.add(ways.way_of(last))
            if isinstance(last, DidNotEnd):
                # The next one would most likely not end either.
                return
            breach = _next(law, subject, examples, start, shrink)
            if breach is None:
                return
            yield breach
            last = breach


def _next(
    law: Law, subject: Subject, examples: int, start: int | None, shrink: bool
) -> Breach | None:
    try:
        return search(law, subject, examples=examples, start=start, shrink=shrink)
    except (Unsatisfiable, NoInput, Flaky):
        # Known departures cover each input, or one breaks the law only at times.
        return None


def content(shown: Offer) -> dict[str, Any]:
    """Return a breach behind another one as plain JSON values, for the row of a report.

    Args:
        shown: the breach and its script.
    """
    witness = witness_of(shown.breach)
    return {
        "difference": shown.breach.difference.strip("\n"),
        "key": witness.key,
        "witness": witness.content(),
        "script": shown.script,
        "answer": shown.answer,
    }


def message(shown: Offer) -> str:
    """Return the part of the report of a broken law that is about a breach behind the first."""
    return f"{_HEAD}{shown.breach.case}"
