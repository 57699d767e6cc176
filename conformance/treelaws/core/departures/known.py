"""Known departures: laws that released libraries break, each with a witness.

The witness is replayed and must still fail, so a departure never depends on chance. The law itself
still runs outside the region of the departure, so that a second bug behind the first one shows.
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

# One folder for each library, with one file for each topic.
FOLDER = Path(__file__).resolve().parents[2] / "findings"


@functools.cache
def departures() -> tuple[Departure, ...]:
    """Return every departure that ships with the suite or was added by `add`."""
    shipped = [found for path in sorted(FOLDER.rglob("*.toml")) for found in read(path)]
    every = (*shipped, *added())
    return tuple(found for found in every if found.name not in _FORGOTTEN)


# By resolved path, so that two ways to name a file read it once.
_ADDED: dict[Path, list[Departure]] = {}
_FORGOTTEN: set[str] = set()


def forget(names: Iterable[str]) -> None:
    """Ignore the departures of these names, so that a run finds them again."""
    _FORGOTTEN.update(names)
    _read_anew()


def added() -> list[Departure]:
    """Return the departures of users' files."""
    return merged(_ADDED.values())


def add(path: Path) -> None:
    """Add the departures of a user's file, and of the files that it extends.

    Raises:
        BadKnown: an entry is malformed, or two files contain it with different content.
    """
    files = {**_ADDED, **chain(path)}
    merged(files.values())
    _ADDED.update(files)
    _read_anew()


@contextlib.contextmanager
def also(paths: Iterable[Path]) -> Iterator[list[Departure]]:
    """Add the departures of users' files inside a `with` block, and yield them.

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
    """Return the departures of a law under the installed versions."""
    return tuple(found for found in departures() if found.law == law and found.applies)


def covering(laws: Iterable[Law], subject: Subject, features: Iterable[str]) -> bool:
    """Return whether a known departure of one of the laws covers a case with these features.

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
    """Return whether a departure is about a subject, or about the base of the subject."""
    return found.subject in (subject.name, subject.base)


def _holds_node(subject: Subject, culprit: str, held: set[str]) -> bool:
    # A file may name a subject that only another run registers.
    node = find(culprit) if subject.family == "node" else None
    return node is not None and node.kind in held


def covering_every_case(laws: Iterable[Law], subject: Subject) -> str:
    """Return the name of a known departure of the laws that covers every case, or an empty text."""
    names = (
        found.name
        for law in laws
        for found in applying(law.id)
        if _about(found, subject) and EVERY_CASE in found.region
    )
    return next(names, "")


def unknown_laws(laws: Iterable[str]) -> Iterator[str]:
    """Describe each departure that names a law that does not exist, with similar names."""
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
