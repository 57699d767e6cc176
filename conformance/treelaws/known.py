"""Known departures: what released libraries break, each pinned to a witness.

A departure never depends on luck. Its witness is replayed and must still fail; the law itself goes
on hunting outside the departure's region, so that a second bug behind the first one shows.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hypothesis_pytrees import Recipe

from . import compat
from .law import Law
from .subjects import Subject, subject as subject_named

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_REQUIRED = ("law", "subject", "versions", "issue", "reason", "witness")
_ALLOWED = (*_REQUIRED, "region", "raises")
# A region that leaves nothing to hunt in.
EVERY_CASE = "every case"
FOLDER = Path(__file__).with_name("known")


class BadKnown(ValueError):
    """A known-departures file is malformed; the text says which file, what and the cure."""


@dataclasses.dataclass(frozen=True)
class Departure:
    """One thing that a released library is known to break.

    Args:
        name: the key of its table in the file.
        law: id of the law.
        subject: name of the subject.
        versions: PEP 440 specifiers by package; all must match for the departure to apply.
        issue: link to the upstream issue, or `"unreported"`.
        reason: why the library is wrong.
        witness: text that binds the case's names.
        region: conjunctions of features, for example `"module:property and not history:fresh"`;
            cases that meet any are not drawn; empty where no drawn case meets the departure;
            `"every case"` where each does, so that only the witness is tried.
        raises: name of the error that the witness meets where the law's own steps raise;
            empty for an ordinary breach.
        file: where it is written.
    """

    name: str
    law: str
    subject: str
    versions: Mapping[str, str]
    issue: str
    reason: str
    witness: str
    region: tuple[str, ...] = ()
    raises: str = ""
    file: str = ""

    @property
    def applies(self) -> bool:
        """Whether the installed versions are those that depart."""
        return all(compat.matches(package, spec) for package, spec in self.versions.items())

    @property
    def recipe(self) -> Recipe:
        """The witness as a recipe."""
        return Recipe(statements=(self.witness.strip(),))

    def covers(self, features: Iterable[str]) -> bool:
        """Say whether a case with these features lies in the region."""
        held = {EVERY_CASE, *features}
        return any(_meets(conjunction, held) for conjunction in self.region)


def _meets(conjunction: str, held: set[str]) -> bool:
    terms = conjunction.split(" and ")
    return all(
        term[4:].strip() not in held if term.startswith("not ") else term.strip() in held
        for term in terms
    )


def read(path: Path) -> list[Departure]:
    """Read a known-departures file.

    Raises:
        BadKnown: the file cannot be read, is no TOML, or an entry misses or misspells a key.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as raised:
        raise BadKnown(f"{path}: cannot be read: {raised.strerror}") from raised
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as raised:
        raise BadKnown(f"{path}: not valid TOML: {raised}") from raised
    return [_departure(path, name, table) for name, table in tables.items()]


def _departure(path: Path, name: str, table: Any) -> Departure:
    place = f"{path}: [{name}]"
    if not isinstance(table, dict):
        raise BadKnown(f"{place} is no table; write [{name}] with {', '.join(_REQUIRED)}")
    for key in _REQUIRED:
        if not table.get(key):
            raise BadKnown(f"{place} needs {key!r}; required: {', '.join(_REQUIRED)}")
    for key in table:
        if key not in _ALLOWED:
            raise BadKnown(f"{place} has {key!r}; allowed: {', '.join(_ALLOWED)}")
    region = table.get("region", [])
    region = (region,) if isinstance(region, str) else tuple(region)
    if not isinstance(table["versions"], dict):
        raise BadKnown(f"{place} versions: write a table such as {{ jax = '<0.5' }}")
    try:
        for spec in table["versions"].values():
            compat.specifier(spec)
    except ValueError as raised:
        raise BadKnown(f"{place} versions: {raised}") from None
    return Departure(**{**table, "name": name, "region": region, "file": str(path)})


@functools.cache
def departures() -> tuple[Departure, ...]:
    """Give every departure that ships with the suite or was added by `add`."""
    shipped = [found for path in sorted(FOLDER.glob("*.toml")) for found in read(path)]
    return tuple(found for found in (*shipped, *_ADDED) if found.name not in _FORGOTTEN)


_ADDED: list[Departure] = []
_FORGOTTEN: set[str] = set()


def forget(names: Iterable[str]) -> None:
    """Take the departures of these names for unknown, so that a hunt finds them again."""
    _FORGOTTEN.update(names)
    departures.cache_clear()
    applying.cache_clear()


def add(path: Path) -> None:
    """Add the departures of a user's file.

    Raises:
        BadKnown: it is malformed.
    """
    _ADDED.extend(read(path))
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
    own = subject.base or subject.name
    return any(
        (found.subject == own or _holds_node(subject, found.subject, held)) and found.covers(held)
        for law in laws
        for found in applying(law.id)
    )


def _holds_node(subject: Subject, culprit: str, held: set[str]) -> bool:
    return subject.family == "node" and subject_named(culprit).kind in held


def covering_every_case(laws: Iterable[Law], subject: Subject) -> str:
    """Name the known departure of one of the laws that covers each case; empty where none does."""
    own = subject.base or subject.name
    names = (
        found.name
        for law in laws
        for found in applying(law.id)
        if found.subject == own and EVERY_CASE in found.region
    )
    return next(names, "")


def unknown_names(laws: Iterable[str], subjects: Iterable[str]) -> Iterator[str]:
    """Describe each departure that names a law or a subject that does not exist."""
    laws, subjects = set(laws), set(subjects)
    for found in departures():
        for key, name, names in (("law", found.law, laws), ("subject", found.subject, subjects)):
            if name not in names:
                yield f"{found.file}: [{found.name}] names the unknown {key} {name!r}"
