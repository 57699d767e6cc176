"""Known departures: what released libraries break, each pinned to a witness.

A departure never depends on luck. Its witness is replayed and must still fail; the law itself goes
on hunting outside the departure's region, so that a second bug behind the first one shows.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable, Iterator
from pathlib import Path

from treelaws.core.close_names import did_you_mean
from treelaws.core.law import Law
from treelaws.core.subject import Subject, find

from .departure import EVERY_CASE, BadKnown, Departure
from .reading import chain, merged, read

__all__ = ["EVERY_CASE", "BadKnown", "Departure", "read"]

# One file a topic, in one folder a library.
FOLDER = Path(__file__).resolve().parents[2] / "findings"


@functools.cache
def departures() -> tuple[Departure, ...]:
    """Give every departure that ships with the suite or was added by `add`."""
    shipped = [found for path in sorted(FOLDER.rglob("*.toml")) for found in read(path)]
    every = (*shipped, *added())
    return tuple(found for found in every if found.name not in _FORGOTTEN)


# By resolved path: each file is read once, whoever names it.
_ADDED: dict[Path, list[Departure]] = {}
_FORGOTTEN: set[str] = set()


def forget(names: Iterable[str]) -> None:
    """Take the departures of these names for unknown, so that a hunt finds them again."""
    _FORGOTTEN.update(names)
    _read_anew()


def added() -> list[Departure]:
    """Give the departures of users' files."""
    return merged(_ADDED.values())


def add(path: Path) -> None:
    """Add the departures of a user's file, and of those that it extends.

    Raises:
        BadKnown: one is malformed, or an entry stands in two files with different content.
    """
    files = {**_ADDED, **chain(path)}
    merged(files.values())
    _ADDED.update(files)
    _read_anew()


@contextlib.contextmanager
def also(paths: Iterable[Path]) -> Iterator[list[Departure]]:
    """Add the departures of users' files for a while, and give them.

    Raises:
        BadKnown: as `add`.
    """
    before = dict(_ADDED)
    try:
        for path in paths:
            add(path)
        yield [one for file, found in _ADDED.items() if file not in before for one in found]
    finally:
        _ADDED.clear()
        _ADDED.update(before)
        _read_anew()


def _read_anew() -> None:
    departures.cache_clear()
    applying.cache_clear()


@functools.cache
def applying(law: str) -> tuple[Departure, ...]:
    """Give the departures of a law under the installed versions."""
    return tuple(found for found in departures() if found.law == law and found.applies)


def covering(laws: Iterable[Law], subject: Subject, features: Iterable[str]) -> bool:
    """Say whether a known departure of one of the laws covers a case with these features.

    A node type that departs does so inside other nodes too: its departures cover every case of a
    node law that holds such a node.
    """
    held = set(features)
    return any(
        (_about(found, subject) or _holds_node(subject, found.subject, held)) and found.covers(held)
        for law in laws
        for found in applying(law.id)
    )


def _about(found: Departure, subject: Subject) -> bool:
    """Say whether a departure is that of a subject, or of what the subject is a variety of."""
    return found.subject in (subject.name, subject.base)


def _holds_node(subject: Subject, culprit: str, held: set[str]) -> bool:
    # A file may name what only another run registers.
    node = find(culprit) if subject.family == "node" else None
    return node is not None and node.kind in held


def covering_every_case(laws: Iterable[Law], subject: Subject) -> str:
    """Name the known departure of one of the laws that covers each case; empty where none does."""
    names = (
        found.name
        for law in laws
        for found in applying(law.id)
        if _about(found, subject) and EVERY_CASE in found.region
    )
    return next(names, "")


def unknown_laws(laws: Iterable[str]) -> Iterator[str]:
    """Describe each departure that names a law that does not exist, with those that are close."""
    laws = list(laws)
    for found in departures():
        if found.law not in laws:
            yield _unknown(found, "law", found.law, laws)


def unknown_subjects(subjects: Iterable[str]) -> Iterator[str]:
    """Describe each departure that names a subject that does not exist."""
    subjects = list(subjects)
    for found in departures():
        if found.subject not in subjects:
            yield _unknown(found, "subject", found.subject, subjects)


def _unknown(found: Departure, key: str, name: str, names: list[str]) -> str:
    meant = did_you_mean(name, names)
    hint = f" ({meant})" if meant else ""
    return f"{found.file}: [{found.name}] names the unknown {key} {name!r}{hint}"
