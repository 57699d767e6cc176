"""Checks laws of one library; imported only in processes whose library may be a mutant."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from treelaws import compat
from treelaws.api.choosing import matching_laws
from treelaws.core import subject as registered
from treelaws.core.departures import known
from treelaws.core.departures.departure import Departure
from treelaws.core.examples.profiles import examples_of
from treelaws.core.failure import DidNotEnd
from treelaws.core.law import Law
from treelaws.core.mismatch import first_line
from treelaws.core.obstacles import obstacle, without_input
from treelaws.core.search import search
from treelaws.core.subject import Subject
from treelaws.core.verdict import verdict
from treelaws.laws import law_named
from treelaws.reporting.report import fingerprint
from treelaws.subjects import builtin

from .modules import LIBRARIES

# The seed of each search, so that a law has the same inputs for each mutant.
SEED = 0
# The trees of this subject hold nodes of every library.
_MIXED = "mixed"
_MOST = 200


class Attempt(NamedTuple):
    """How a law ended on a subject.

    Args:
        how: `"held"`, `"skipped"`, `"law"` if the law is broken, `"time"` if a case did not end,
            `"error"` if an input could not be drawn.
        detail: one line.
    """

    how: str
    detail: str = ""


def load(library: str) -> None:
    """Import a library and the subjects of the suite."""
    for name in LIBRARIES[library]:
        importlib.import_module(name)
    builtin.load()


def _subjects(library: str) -> Iterator[Subject]:
    for found in registered.known().values():
        mixes = found.name == _MIXED and library != "chex"
        if (found.requires or "jax") == library or mixes:
            yield found


def pairs(library: str, patterns: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """Return laws of a library that can fail a run, each with a subject, by topic.

    Args:
        library: the library; `load` has imported it.
        patterns: the laws, with `*` for any text; default all.

    Raises:
        ValueError: a pattern matches no law, or no law of the library.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    subjects = list(_subjects(library))
    for law in _chosen(patterns):
        for subject in subjects:
            if subject.family == law.topic.family and not subject.absent:
                found.setdefault(law.topic.id, []).append((law.id, subject.name))
    if not found:
        raise ValueError(f"none of the laws is about {library}")
    return found


def _chosen(patterns: Sequence[str]) -> list[Law]:
    """Return the laws that can fail a run."""
    return [law for law in matching_laws(patterns or ["*"], "should") if not law.advisory]


def attempt(law: str, subject: str, *, few: bool = False) -> Attempt:
    """Search for a breach.

    Args:
        law: id of the law.
        subject: name of the subject.
        few: search with the examples of the profile `quick` instead of `default`.
    """
    try:
        return _attempt(law_named(law), registered.known()[subject], few)
    except BaseException as raised:
        # A changed library may raise anything anywhere; pytest would report it as an error.
        return Attempt("error", told(raised))


def _attempt(law: Law, subject: Subject, few: bool) -> Attempt:
    found = obstacle(law, subject) or without_input(law, subject)
    if found is not None:
        return Attempt("skipped", _cut(found.reason))
    examples = examples_of(law, subject, profile="quick" if few else "default")
    breach = search(law, subject, examples=examples, start=SEED)
    if breach is None:
        return Attempt("held")
    return Attempt("time" if isinstance(breach, DidNotEnd) else "law", told(breach.cause))


def told(raised: BaseException) -> str:
    """Return an exception on one line."""
    return _cut(f"{type(raised).__name__}: {first_line(raised)}")


def _cut(text: str) -> str:
    return " ".join(text.split())[:_MOST]


def witnesses(library: str, patterns: Sequence[str]) -> list[Departure]:
    """Return the known departures whose witnesses are replayed, one for each law and subject."""
    names = [found.name for found in _subjects(library)]
    laws = {law.id for law in _chosen(patterns)}
    return [
        one
        for found in known.departures()
        if found.applies
        for one in known.concrete(found, laws, names)
        if one.subject in names and one.law in laws
    ]


def departs(found: Departure) -> bool:
    """Return whether the witness of a known departure breaks its law as recorded."""
    law, subject = law_named(found.law), registered.known()[found.subject]
    return verdict(law, subject, lambda: None, departure=found).kind == "known"


def about() -> dict[str, Any]:
    """Return the versions of the libraries and the hash of the suite."""
    versions = {name: compat.version(name) or "" for name in (*compat.LIBRARIES, "chex")}
    return {"versions": versions, "suite": fingerprint()}
