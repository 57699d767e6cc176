"""Adds the files of known departures that a call of the API names."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from treelaws.children import told
from treelaws.core import obstacles, search
from treelaws.core.departures import known
from treelaws.core.departures.departure import BadKnown, Departure
from treelaws.core.law import Law
from treelaws.core.subject import Subject
from treelaws.laws import all_laws
from treelaws.subjects.registry import subjects

from .subject_names import imports

Files: TypeAlias = str | Path | Sequence[str | Path]


def add(files: Files) -> None:
    """Add the departures of files for the rest of this process.

    Raises:
        BadKnown: a file is malformed, or names a law that does not exist.
    """
    for path in _paths(files):
        known.add(path)
    if _paths(files):
        _refuse(known.unknown_laws(all_laws()))


@contextlib.contextmanager
def for_this_call(files: Files, tried: Iterable[Subject]) -> Iterator[None]:
    """Add the departures of files inside a `with` block.

    Args:
        files: their paths.
        tried: subjects of the call, which need not be registered.

    Raises:
        BadKnown: a file is malformed, or names a law or a subject that does not exist.
    """
    paths = _paths(files)
    if not paths:
        yield
        return
    with known.also(paths) as added:
        _forget_verdicts()
        try:
            _refuse(known.unknown_laws(all_laws()))
            here = [found.name for found in (*subjects(), *tried)]
            others = {found.subject for found in added if "*" not in found.subject} - set(here)
            # A file may serve calls about several subjects.
            here += [name for name in others if imports(name)]
            cure = "; `treelaws.register` it, or give its entry in another file"
            _refuse(f"{line}{cure}" for line in known.unknown_subjects(here))
            yield
        finally:
            _forget_verdicts()


def of_subject(subject: Subject, laws: Iterable[Law]) -> list[Departure]:
    """Return the departures of a subject and these laws that apply to the installed versions."""
    ids = {law.id for law in laws if law.topic.family == subject.family}
    return [
        one
        for found in known.departures()
        if found.applies and found.about(subject.name)
        for one in known.concrete(found, ids, [subject.name])
        if one.law in ids
    ]


def _paths(files: Files) -> list[Path]:
    return [Path(one) for one in ([files] if isinstance(files, str | Path) else files)]


def _refuse(problems: Iterable[str]) -> None:
    for problem in problems:
        raise BadKnown(problem)


def _forget_verdicts() -> None:
    """Forget which laws failed: some of the failures are known now."""
    told.forget()
    search.cached_search.cache_clear()
    obstacles.law_broken_by_guest.cache_clear()
