"""Collects what the processes of a run send, and writes the reports."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hypothesis_pytrees import Recipe
from treelaws.core.files import new_folder
from treelaws.reproduce.witness import forget, from_content, write

from . import terminal
from .findings import summary
from .lost_rows import lost_row
from .markdown import markdown
from .rows import Row
from .stream import Identity, Stream
from .writing import write_all

# Seconds between reports during a run, for a run that is killed, at least; and the part of a run
# that writing them may take.
_REFRESH, _PART = 30.0, 0.02
# What to do about a file that cannot be written, by whether it is the folder of the reports.
_CURES = {
    True: "no verdict depends on it; make room there, or give another folder with --report",
    False: "GITHUB_STEP_SUMMARY names it",
}


class Collector:
    """Takes plans and rows; writes witnesses at once, reports every 30 s or more and at the end.

    Args:
        facts: facts about the run, from `run_facts`.
        folder: folder of the reports; `None` for no reports.
        latest: symbolic link to point at the folder, which is then created anew and gets a number
            if the name is taken; `None` for no link.
    """

    def __init__(self, facts: Mapping[str, Any], folder: Path | None, latest: Path | None) -> None:
        # By file or folder: why it cannot be written.
        self._problems: dict[Path, str] = {}
        self._folder, self._latest = folder, latest
        if folder is not None and latest is not None:
            with self._noting(folder):
                self._folder = new_folder(folder)
        self._refreshed, self._pause = time.monotonic(), _REFRESH
        self._planned: dict[str, Identity] = {}
        self._stream = Stream(self._folder)
        self._stream.note("run", facts)

    def plan(
        self, tests: list[list[str]], laws: Mapping[str, Any], findings: Mapping[str, Any]
    ) -> None:
        """Take the plan of a process.

        Args:
            tests: node id, law, subject and known departure of each test.
            laws: descriptions of their laws by id.
            findings: descriptions of the findings of their known departures by id.
        """
        new = {node: (law, subject, departure) for node, law, subject, departure in tests}
        # Every worker of pytest-xdist collects the same tests.
        if new.keys() - self._planned.keys():
            plan = {"places": list(new.values()), "laws": laws, "findings": findings}
            self._stream.note("plan", plan)
        self._planned |= new

    def row(self, content: Mapping[str, Any]) -> None:
        """Take the content of a row."""
        self._stream.note("row", content)
        if self._folder is not None:
            with self._noting(self._folder) as folder:
                _write_witness(content, folder)
        if (began := time.monotonic()) - self._refreshed > self._pause:
            self._write()
            self._refreshed = time.monotonic()
            self._pause = max(_REFRESH, (self._refreshed - began) / _PART)

    def lost(self, node: str, worker: str, last: tuple[str, Recipe] | None) -> bool:
        """Record that a worker died while it ran a test; return whether it is the test of a law.

        Args:
            node: id of the test.
            worker: name of the worker, such as `gw0`.
            last: the id of the law that it ran last, and the input; `None` if that is not known.
        """
        if node not in self._planned:
            return False
        law, subject, departure = self._planned[node]
        place = Row(law, subject, "error", departure)
        recipe = last[1] if last is not None and last[0] == law else None
        self.row(lost_row(place, worker, recipe).content())
        return True

    def finish(self, seconds: float | None) -> None:
        """Write the reports.

        Args:
            seconds: duration of the run; `None` if it was interrupted.
        """
        if seconds is not None:
            self._stream.note("end", {"seconds": seconds})
        # Ctrl-C may have come in the middle of an event.
        self._write(last=True, anew=seconds is None)
        if path := os.environ.get("GITHUB_STEP_SUMMARY"):
            with self._noting(Path(path)) as file, file.open("a", encoding="utf-8") as summary:
                summary.write(markdown(self._stream.report()))

    @property
    def folder(self) -> Path | None:
        """The folder of the reports; `None` for no reports."""
        return self._folder

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows so far."""
        return self._stream.report().rows

    @property
    def problems(self) -> list[str]:
        """A line for each file or folder that could not be written."""
        found = dict(self._problems)
        if self._folder is not None and self._stream.problem:
            found.setdefault(self._folder, self._stream.problem)
        return [
            f"{path}: cannot be written: {reason}; {_CURES[path == self._folder]}"
            for path, reason in found.items()
        ]

    def lines(self) -> Iterator[str]:
        """Return the lines of the terminal summary."""
        report = self._stream.report()
        yield from terminal.lines(report)
        page = "" if self._folder is None or self.problems else str(self._folder / "report.html")
        if told := summary(report):
            yield f"{told}: {page or 'python -m treelaws findings'}"
        elif page:
            yield f"report: {page}"

    def _write(self, *, last: bool = False, anew: bool = False) -> None:
        """Write the reports, and again the other files if one could not be written or is gone."""
        if self._folder is None:
            return
        anew |= bool(self._problems.pop(self._folder, "") or self._stream.problem)
        with self._noting(self._folder) as folder:
            if anew:
                self._stream.write_all()
            for row in self.rows if anew or last else ():
                _write_witness(row.content(), folder)
            write_all(self._stream.report(), folder)
            if self._latest is not None:
                _point(self._latest, folder)

    @contextlib.contextmanager
    def _noting(self, path: Path) -> Iterator[Path]:
        # The verdicts of a run do not depend on whether a disk is full.
        try:
            yield path
        except OSError as raised:
            self._problems[path] = raised.strerror or str(raised)


def _write_witness(row: Mapping[str, Any], folder: Path) -> None:
    if row.get("witness"):
        found = [row, *row.get("behind", ())]
        for number, one in enumerate(found, 1):
            witness = from_content(one["witness"])
            write(folder / "witnesses", witness, one["script"], number=number)
        forget(folder / "witnesses", from_content(row["witness"]), number=len(found) + 1)


def _point(link: Path, folder: Path) -> None:
    """Point a symbolic link at a folder next to it."""
    # Two runs may end at once.
    new = link.with_name(f"{link.name}.{os.getpid()}.unfinished")
    new.unlink(missing_ok=True)
    new.symlink_to(folder.name, target_is_directory=True)
    new.replace(link)
