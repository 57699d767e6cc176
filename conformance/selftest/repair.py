"""Libraries with a part written anew, on which laws run that every release breaks in every case.

A known departure that covers every case switches a law off, so that no mutant can show that the law
is right. On a repaired library, which no known departure is about, the law must hold; and it must
notice a fault that is put into the repaired part.
"""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from collections.abc import Callable, Iterable
from typing import Any

from packaging.specifiers import SpecifierSet

from treelaws.core.departures import known
from treelaws.core.departures.departure import EVERY_CASE, Departure
from treelaws.core.subject import Subject
from treelaws.laws import all_laws
from treelaws.releases.environments.index import OLDEST
from treelaws.strength.faults.libraries import Patched, in_text
from treelaws.subjects.registry import subject

Make = Callable[[Any], dict[str, Any]]


@dataclasses.dataclass(frozen=True)
class Repair:
    """A library with a part that is repaired, or repaired with one fault.

    Args:
        subject: the library; it has a name of its own, so that no known departure is about it.
        text: what is repaired, or what the fault is, in one sentence.
        laws: ids of the laws that must hold on it; for a fault, of those that must notice.
    """

    subject: Subject
    text: str
    laws: tuple[str, ...]


REPAIRS: dict[str, Repair] = {}
FAULTS: dict[str, Repair] = {}


def repaired(family: str, *, laws: str) -> Callable[[Make], Make]:
    """Register a repaired library.

    The decorated function takes the real library and gives the replacements by dotted name; its
    docstring says what is repaired.

    Args:
        family: name of the library's subject.
        laws: an id, or the beginning of the ids of the laws that must hold on it.
    """
    return _adding(REPAIRS, family, [law for law in all_laws() if law.startswith(laws)])


def fault(family: str, *, kills: Iterable[str]) -> Callable[[Make], Make]:
    """Register a repaired library with one fault.

    Args:
        family: as in `repaired`.
        kills: ids of the laws that must notice.
    """
    return _adding(FAULTS, family, kills)


def _adding(to: dict[str, Repair], family: str, laws: Iterable[str]) -> Callable[[Make], Make]:
    def add(make: Make) -> Make:
        real = subject(family)
        if not real.absent:
            library = Patched(real.lib, make(real.lib))
            texts = in_text(family, library)
            name = f"{family}: {make.__name__}"
            if name in to:
                raise ValueError(f"two repaired libraries are called {name!r}")
            found = Subject(name, family, lambda: library, libraries=texts)
            to[name] = Repair(found, (make.__doc__ or "").strip(), tuple(laws))
        return make

    return add


def never_run() -> list[str]:
    """Return the ids of the laws that a library breaks in every case of every release.

    Laws of many subjects, such as node types, run on the others.
    """
    found = [one for one in known.departures() if EVERY_CASE in one.region and _in_each(one)]
    return sorted({one.law for one in found if one.subject == subject(one.subject).family})


def _in_each(found: Departure) -> bool:
    """Return whether a known departure applies from the oldest release on, without an end."""
    return all(
        SpecifierSet(spec).contains(OLDEST.get(package, "0")) and SpecifierSet(spec).contains("999")
        for package, spec in found.versions.items()
    )


def load() -> None:
    """Import every file of repaired libraries."""
    package = importlib.import_module("selftest.repairs")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
