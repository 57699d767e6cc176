"""Collects what the processes of a run send, and writes the reports."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from treelaws.core.files import new_folder
from treelaws.reproduce.witness import from_content, write

from . import terminal
from .findings import summary
from .markdown import markdown
from .rows import Row
from .stream import Identity, Stream
from .writing import write_all

# Seconds between reports during a run, for a run that is killed.
_REFRESH = 30.0


class Collector:
    """Takes plans and rows; writes witnesses at once, reports every 30 s and at the end.

    Args:
        facts: facts about the run, from `run_facts`.
        folder: folder of the reports; `None` for no reports.
        latest: symbolic link to point at the folder, which is then created anew and gets a number
            if the name is taken; `None` for no link.
    """

    def __init__(self, facts: Mapping[str, Any], folder: Path | None, latest: Path | None) -> None:
        self._problems: dict[str, None] = {}
        self._folder, self._latest = folder, latest
        if folder is not None and latest is not None:
            with self._noting(folder):
                self._folder = new_folder(folder)
        self._refreshed = time.monotonic()
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
        if content.get("witness") and self._folder is not None:
            with self._noting(self._folder / "witnesses") as folder:
                write(folder, from_content(content["witness"]), content["script"])
        if time.monotonic() - self._refreshed > _REFRESH:
            self._write()

    def lost(self, node: str, reason: str) -> None:
        """Record that a worker died while it ran a test.

        Args:
            node: id of the test.
            reason: the message of pytest-xdist.
        """
        if node in self._planned:
            law, subject, departure = self._planned[node]
            self.row(Row(law, subject, "error", departure, reason=reason).content())

    def finish(self, seconds: float | None) -> None:
        """Write the reports.

        Args:
            seconds: duration of the run; `None` if it was interrupted.
        """
        if seconds is not None:
            self._stream.note("end", {"seconds": seconds})
        self._write()
        if path := os.environ.get("GITHUB_STEP_SUMMARY"):
            with self._noting(Path(path)) as file, file.open("a", encoding="utf-8") as summary:
                summary.write(markdown(self._stream.report()))

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows so far."""
        return self._stream.report().rows

    @property
    def problems(self) -> list[str]:
        """Files that could not be written, and why."""
        return [problem for problem in (self._stream.problem, *self._problems) if problem]

    def lines(self) -> Iterator[str]:
        """Return the lines of the terminal summary."""
        report = self._stream.report()
        yield from terminal.lines(report)
        yield from (f"report: {problem}" for problem in self.problems)
        page = str(self._folder / "report.html") if self._folder is not None else ""
        if told := summary(report):
            yield f"{told}: {page or 'python -m treelaws findings'}"
        elif page:
            yield f"report: {page}"

    def _write(self) -> None:
        self._refreshed = time.monotonic()
        if self._folder is None:
            return
        with self._noting(self._folder) as folder:
            write_all(self._stream.report(), folder)
            if self._latest is not None:
                _point(self._latest, folder)

    @contextlib.contextmanager
    def _noting(self, path: Path) -> Iterator[Path]:
        # The verdicts of a run do not depend on whether a disk is full.
        try:
            yield path
        except OSError as raised:
            self._problems[f"{path}: cannot be written: {raised.strerror}"] = None


def _point(link: Path, folder: Path) -> None:
    """Point a symbolic link at a folder next to it."""
    new = link.with_name(f"{link.name}.unfinished")
    new.unlink(missing_ok=True)
    new.symlink_to(folder.name, target_is_directory=True)
    new.replace(link)
