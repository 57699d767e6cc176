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

from treelaws.core.departures import known
from treelaws.core.failure import Breach
from treelaws.core.law import Law
from treelaws.core.mismatch import first_line
from treelaws.core.search import search
from treelaws.core.subject import Subject
from treelaws.laws import all_laws
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
    """

    laws: tuple[str, ...] = ("*",)
    subjects: tuple[str, ...] = ("*",)
    seeds: tuple[int, ...] = (0,)
    forget: tuple[str, ...] = ()
    show: bool = False


def hunt(request: Request, folder: Path) -> None:
    """Hunt, and write each witness to a folder named by its seed."""
    known.forget(request.forget)
    for law, subject in _pairs(request):
        for start in request.seeds:
            try:
                breach = search(law, subject, start=start, shrink=request.show)
            except Exception as raised:
                # Strategies may use names that old releases lack; the other laws still run.
                reason = f"{type(raised).__name__}: {first_line(raised)}"
                print(f"{law.id} [{subject.name}] cannot run: {reason}", flush=True)
                break
            if breach is not None:
                _write(breach, folder / str(start), show=request.show)


def _pairs(request: Request) -> Iterator[tuple[Law, Subject]]:
    for law in all_laws().values():
        if any(fnmatch.fnmatchcase(law.id, pattern) for pattern in request.laws):
            for subject in subjects(law.topic.family):
                named = any(fnmatch.fnmatchcase(subject.name, name) for name in request.subjects)
                if named and not subject.absent and not subject.missing(law.needs):
                    print(f"{law.id} [{subject.name}]", flush=True)
                    yield law, subject


def _write(breach: Breach, folder: Path, *, show: bool) -> None:
    if not show:
        write(folder, witness_of(breach))
        return
    found = offer(breach)
    write(folder, witness_of(found.breach), found.script)


def main() -> int:
    """Run as a program."""
    request, folder = map(Path, sys.argv[1:])
    fields = json.loads(request.read_text(encoding="utf-8"))
    hunt(Request(**fields), folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
