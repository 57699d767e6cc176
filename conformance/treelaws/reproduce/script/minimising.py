"""Shrinks the input of a broken law by cuts in its text, as long as it breaks in the same way.

Hypothesis has already shrunk the choices of the strategy. Text that a strategy always writes, such
as a class with all its methods or an unused helper, can only be removed here. Each cut is checked
by running the law again, and a cut that could leave the scope of the law is not made.
"""

from __future__ import annotations

import re
import sys
import time
import traceback
from collections.abc import Iterator

from hypothesis_pytrees import Namespace, Recipe
from treelaws.core.failure import Breach, DidNotEnd, UnexpectedError
from treelaws.core.mismatch import Mismatch, first_line
from treelaws.core.search import run

from .idle_calls import idle_calls, second_names
from .reading import reading_of, texts_of
from .smaller_values import adds_none, departs, of_trees, refused, smaller_values
from .unused_members import uncalled_methods, unread_fields
from .unused_text import unread_definitions, unread_statements

# A candidate takes milliseconds, or tenths of a second if the law compiles. A user waits for the
# report of each broken law, and a release may break many.
SECONDS = 5.0
# Text that differs between runs and between versions of a class.
_VOLATILE = re.compile(r"0x[0-9a-f]+|\d+")


def minimal(breach: Breach, *, seconds: float = SECONDS) -> Breach:
    """Return the same breach with the smallest input found.

    Args:
        breach: the broken law with its input.
        seconds: time limit.

    Returns:
        A breach of the law by the same subject with the same key; `breach` itself if no cut is
        possible, or if it does not reproduce.
    """
    until = time.monotonic() + seconds
    wanted = _way(breach)
    if not _breaks_again(breach, breach.recipe, wanted):
        return breach
    best, tried = breach, {breach.recipe}
    while (found := _smaller(best, tried, wanted, until)) is not None:
        best = found
    return best


def _smaller(
    best: Breach, tried: set[Recipe], wanted: tuple[object, ...], until: float
) -> Breach | None:
    """Return the first breach of a candidate, smallest candidates first."""
    smaller = dict.fromkeys(_smaller_values(best), True)
    candidates = {**smaller, **dict.fromkeys(_shorter_texts(best), False)}
    for recipe in sorted(candidates, key=_size):
        if time.monotonic() > until:
            return None
        if recipe in tried:
            continue
        tried.add(recipe)
        found = _breaks_again(best, recipe, wanted)
        if found and not (candidates[recipe] and _adds_something(best, recipe)):
            return found
    return None


def _size(recipe: Recipe) -> int:
    return sum(map(len, texts_of(recipe)))


def _shorter_texts(breach: Breach) -> Iterator[Recipe]:
    """Yield shorter recipes of the same value."""
    recipe, libraries = breach.recipe, breach.subject.libraries
    reading = reading_of(breach.law)
    yield from unread_definitions(recipe, reading)
    yield from unread_statements(recipe, reading)
    yield from second_names(recipe, reading)
    if not _building(breach):
        yield from idle_calls(recipe, libraries)
        if not departs(breach) and not refused(breach):
            yield from uncalled_methods(recipe, reading, libraries)


def _smaller_values(breach: Breach) -> Iterator[Recipe]:
    reading = reading_of(breach.law)
    if of_trees(breach) and not _building(breach) and not departs(breach):
        yield from smaller_values(breach.recipe, reading)
        yield from unread_fields(breach.recipe, reading)


def _building(breach: Breach) -> bool:
    return isinstance(breach, UnexpectedError) and breach.building


def _adds_something(best: Breach, recipe: Recipe) -> bool:
    reading, libraries = reading_of(best.law), best.subject.libraries
    return not adds_none(best.recipe, recipe, reading, libraries)


def _breaks_again(breach: Breach, recipe: Recipe, wanted: tuple[object, ...]) -> Breach | None:
    # A changed class needs a fresh namespace, which is deleted because nothing refers to it later.
    namespace = Namespace(**breach.subject.libraries)
    try:
        run(breach.law, breach.subject, recipe, namespace)
    except DidNotEnd:
        # Of threads, for example, which crash at one time and wait for each other at another.
        return None
    except Breach as found:
        return found if _way(found) == wanted else None
    finally:
        del sys.modules[namespace.module.__name__]
    return None


def _way(breach: Breach) -> tuple[object, ...]:
    """Return how a law broke: its line, and the aspect, or the error and where it was raised."""
    cause = breach.cause
    frames = traceback.extract_tb(cause.__traceback__)
    line = next((frame.lineno for frame in frames if frame.name == breach.law.name), None)
    if isinstance(cause, Mismatch):
        return type(breach), line, cause.aspect
    assert isinstance(breach, UnexpectedError)
    last = frames[-1]
    # Recipe text has the name of its generated module, which differs.
    file = "" if last.filename.startswith("<") else last.filename
    message = _VOLATILE.sub("", first_line(cause))
    return type(breach), line, type(cause), file, last.name, breach.building, message
