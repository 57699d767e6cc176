"""Known departures: laws that released libraries break, each with a witness.

The witness is replayed and must still fail, so a departure never depends on chance. The law itself
still runs outside the region of the departure, so that a second bug behind the first one shows.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from treelaws.core.close_names import did_you_mean
from treelaws.core.law import Law
from treelaws.core.subject import Subject, find, known as registered

from .departure import EVERY_CASE, BadKnown, Departure
from .finding import Finding
from .reading import Contents, chain, merged, read

__all__ = ["EVERY_CASE", "BadKnown", "Departure", "read"]

# One folder for each library, with one file for each topic.
FOLDER = Path(__file__).resolve().parents[2] / "findings"


@functools.cache
def departures() -> tuple[Departure, ...]:
    """Return every departure that ships with the suite or was added by `add`."""
    every = (*merged(one.departures for one in _shipped()), *added())
    return tuple(found for found in every if found.name not in _FORGOTTEN)


def findings() -> tuple[Finding, ...]:
    """Return every finding that ships with the suite or was added by `add`."""
    return tuple(found for one in (*_shipped(), *_ADDED.values()) for found in one.findings)


@functools.cache
def _shipped() -> tuple[Contents, ...]:
    return tuple(one for path in sorted(FOLDER.rglob("*.toml")) for one in chain(path).values())


# By resolved path, so that two ways to name a file read it once.
_ADDED: dict[Path, Contents] = {}
_FORGOTTEN: set[str] = set()


def forget(names: Iterable[str]) -> None:
    """Ignore the departures of these names, so that a run finds them again."""
    _FORGOTTEN.update(names)
    _read_anew()


def added() -> list[Departure]:
    """Return the departures of users' files."""
    return merged(one.departures for one in _ADDED.values())


def add(path: Path) -> None:
    """Add the departures of a user's file, and of the files that it extends.

    Raises:
        BadKnown: an entry is malformed, or two files contain it with different content.
    """
    files = {**_ADDED, **chain(path)}
    merged(one.departures for one in files.values())
    _ADDED.update(files)
    _read_anew()


def files() -> dict[Path, Contents]:
    """Return the contents of users' files by path, for another process."""
    return dict(_ADDED)


def give(files: Mapping[Path, Contents]) -> None:
    """Add the contents of users' files, as `files` returned them in another process."""
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
        new = (found for file, found in _ADDED.items() if file not in before)
        yield [one for found in new for one in found.departures]
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
    return tuple(found for found in departures() if found.of_law(law) and found.applies)


def concrete(found: Departure, laws: Iterable[str], subjects: Iterable[str]) -> Iterator[Departure]:
    """Yield a departure for each law and subject that it means; one without `*` as it is.

    Args:
        found: the departure.
        laws: ids of the laws that may be meant.
        subjects: names of the subjects that may be meant.
    """
    if "*" not in found.law + found.subject:
        yield found
        return
    ids = [law for law in laws if found.of_law(law)]
    names = [subject for subject in subjects if found.about(subject)]
    for law, subject in itertools.product(ids, names):
        name = f"{found.name}[{law} {subject}]"
        yield dataclasses.replace(found, name=name, law=law, subject=subject)


def covering(laws: Iterable[Law], subject: Subject, features: Iterable[str]) -> bool:
    """Return whether a known departure of one of the laws covers a case with these features.

    A node type that departs does so inside other nodes too: its departures cover every case of a
    node law that holds such a node.
    """
    return any(True for _ in those_covering(laws, subject, features))


def those_covering(
    laws: Iterable[Law], subject: Subject, features: Iterable[str]
) -> Iterator[Departure]:
    """Yield the known departures of the laws that cover a case, as `covering` says."""
    held = set(features)
    for law in laws:
        for found in applying(law.id):
            about = _about(found, subject) or _holds_node(subject, found, held)
            if about and found.covers(held):
                yield found


def _about(found: Departure, subject: Subject) -> bool:
    """Return whether a departure is about a subject, or about the base of the subject."""
    return found.about(subject.name) or found.about(subject.base)


def _holds_node(subject: Subject, found: Departure, held: set[str]) -> bool:
    if subject.family != "node":
        return False
    if "*" in found.subject:
        culprits = [one for name, one in registered().items() if found.about(name)]
        return any(one.kind in held for one in culprits if one.family == "node")
    # A file may name a subject that only another run registers.
    node = find(found.subject)
    return node is not None and node.kind in held


def covering_every_case(laws: Iterable[Law], subject: Subject) -> Departure | None:
    """Return a known departure of the laws that covers every case of a subject, or `None`.

    The features that all cases of a user's node type have count as well.
    """
    features = [set(kind.features) for kind in subject.kinds]
    common = set[str].intersection(*features) if features else set[str]()
    departing = (
        found
        for law in laws
        for found in applying(law.id)
        if _about(found, subject) and found.covers_all_with(common)
    )
    return next(departing, None)


def unknown_laws(laws: Iterable[str]) -> Iterator[str]:
    """Describe each departure that names a law that does not exist, with similar names."""
    laws = list(laws)
    for found in departures():
        if not any(map(found.of_law, laws)):
            yield _unknown(found, "law", found.law, laws)


def unknown_subjects(subjects: Iterable[str]) -> Iterator[str]:
    """Describe each departure that names a subject that does not exist."""
    subjects = list(subjects)
    for found in departures():
        if not any(map(found.about, subjects)):
            yield _unknown(found, "subject", found.subject, subjects)


def _unknown(found: Departure, key: str, name: str, names: list[str]) -> str:
    meant = did_you_mean(name, names)
    hint = f" ({meant})" if meant else ""
    return f"{found.file}: {found.header} names the unknown {key} {name!r}{hint}"
