"""Hunts with chosen seeds and writes what breaks, for `python -m treelaws history`.

It runs with the releases of an old environment, as `python -m treelaws.releases.hunting REQUEST
FOLDER`, where REQUEST is a file with the fields of `Request`.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from treelaws.core import settings
from treelaws.core.departures import known
from treelaws.core.failure import Breach
from treelaws.core.law import Law
from treelaws.core.mismatch import first_line
from treelaws.core.search import search
from treelaws.core.subject import Subject
from treelaws.laws import all_laws
from treelaws.reproduce.behind import behind
from treelaws.reproduce.script import offer
from treelaws.reproduce.witness import witness_of, write
from treelaws.subjects.registry import subjects


@dataclasses.dataclass(frozen=True)
class Request:
    """The request for a hunt.

    Args:
        laws: ids or patterns of laws.
        subjects: names or patterns of subjects.
        seeds: one seed for each search.
        forget: names of known departures to find again.
        show: shrink the inputs and write scripts too.
        all_breaches: search on behind each breach, and in what known departures cover.
    """

    laws: tuple[str, ...] = ("*",)
    subjects: tuple[str, ...] = ("*",)
    seeds: tuple[int, ...] = (0,)
    forget: tuple[str, ...] = ()
    show: bool = False
    all_breaches: bool = False


def hunt(request: Request, folder: Path) -> None:
    """Hunt, and write each witness to a folder named by its seed."""
    known.forget(request.forget)
    if request.all_breaches:
        settings.most_breaches, settings.within_known = settings.ALL_BREACHES, True
    for law, subject in _pairs(request):
        for start in request.seeds:
            try:
                found = list(_breaches(law, subject, start, shrink=request.show))
            except Exception as raised:
                # Strategies may use names that old releases lack; the other laws still run.
                reason = f"{type(raised).__name__}: {first_line(raised)}"
                print(f"{law.id} [{subject.name}] cannot run: {reason}", flush=True)
                break
            for number, breach in enumerate(found, 1):
                _write(breach, folder / str(start), number, show=request.show)


def _pairs(request: Request) -> Iterator[tuple[Law, Subject]]:
    for law in all_laws().values():
        if any(fnmatch.fnmatchcase(law.id, pattern) for pattern in request.laws):
            for subject in subjects(law.topic.family):
                named = any(fnmatch.fnmatchcase(subject.name, name) for name in request.subjects)
                if named and not subject.absent and not subject.missing(law.needs):
                    print(f"{law.id} [{subject.name}]", flush=True)
                    yield law, subject


def _breaches(law: Law, subject: Subject, start: int, *, shrink: bool) -> Iterator[Breach]:
    first = search(law, subject, start=start, shrink=shrink)
    if first is not None:
        yield first
        yield from behind(first, start=start, shrink=shrink)


def _write(breach: Breach, folder: Path, number: int, *, show: bool) -> None:
    if not show:
        write(folder, witness_of(breach), number=number)
        return
    found = offer(breach)
    write(folder, witness_of(found.breach), found.script, number=number)


def main() -> int:
    """Run as a program."""
    request, folder = map(Path, sys.argv[1:])
    fields = json.loads(request.read_text(encoding="utf-8"))
    hunt(Request(**fields), folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
