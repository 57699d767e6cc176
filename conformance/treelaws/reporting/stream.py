"""The event stream: a line of JSON per event, from which the reports are written.

It is written during the run, so that a killed run still leaves its results.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from treelaws.core.files import replace_text

from .report import BadReport, Report
from .rows import Row, worst

NAME = "events.jsonl"
Identity = tuple[str, str, str]


class Stream:
    """The events of a run and their file; after a failure, only `write_all` writes it again.

    Args:
        folder: folder of the file, which is overwritten; `None` for no file.
    """

    def __init__(self, folder: Path | None) -> None:
        self.path = folder / NAME if folder is not None else None
        self.events: list[dict[str, Any]] = []
        # Why the rest of the file is missing; empty if nothing is missing.
        self.problem = ""
        self.write_all()

    def note(self, name: str, content: Mapping[str, Any]) -> None:
        """Record an event.

        Args:
            name: `"run"` with what `run_facts` gives; `"plan"` with the `places` that are to be
                tried and the `laws` and `findings` of these, described; `"row"` with a row's
                content; `"end"` with the run's `seconds`.
            content: plain JSON values.
        """
        self.events.append({"event": name, **content})
        if self.path is None or self.problem:
            return
        # The folder may have been removed during the run.
        if not os.path.exists(self.path):
            self.write_all()
            return
        with self._noting(), self.path.open("a", encoding="utf-8") as file:
            file.write(_line(self.events[-1]))

    def write_all(self) -> None:
        """Write the file anew with all events so far."""
        if self.path is not None:
            self.problem = ""
            with self._noting():
                replace_text(self.path, "".join(map(_line, self.events)))

    def report(self) -> Report:
        """Return the report of the events so far."""
        return report_from(self.events, self.path or Path(NAME))

    @contextlib.contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except OSError as raised:
            self.problem = raised.strerror or str(raised)


def _line(event: Mapping[str, Any]) -> str:
    return json.dumps(event) + "\n"


def replayed(folder: Path) -> Report:
    """Return the report of the events in a folder, marked incomplete if the run was killed.

    Raises:
        BadReport: there is no event file, or it does not say which run it is of.
    """
    path = folder / NAME
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except OSError as raised:
        raise BadReport(f"{path}: cannot be read: {raised.strerror}") from raised
    return report_from(_whole(lines), path)


def _whole(lines: Iterable[str]) -> list[dict[str, Any]]:
    # A killed run may leave half a line at the end.
    return [json.loads(line) for line in lines if line.endswith("}\n")]


def report_from(events: Iterable[Mapping[str, Any]], path: Path) -> Report:
    """Return the report of events; a planned test without a row is `not run`.

    Args:
        events: in the order in which they happened.
        path: their file, for messages.

    Raises:
        BadReport: no event says which run they are of.
    """
    run: dict[str, Any] = {}
    laws: dict[str, Any] = {}
    findings: dict[str, Any] = {}
    rows: list[Row] = []
    planned: dict[Identity, None] = {}
    complete, seconds = False, 0.0
    for event in events:
        name, content = event["event"], {key: event[key] for key in event if key != "event"}
        if name == "run":
            run = content
        elif name == "plan":
            laws |= content["laws"]
            findings |= content.get("findings", {})
            planned.update(dict.fromkeys(tuple(identity) for identity in content["places"]))
        elif name == "row":
            rows.append(Row(**content))
        else:
            complete, seconds = True, content["seconds"]
    if not run:
        raise BadReport(f"{path}: holds no run; `pytest --report DIR` writes one")
    done = {row.identity for row in rows}
    left = [
        Row(*identity[:2], "not run", identity[2]) for identity in planned if identity not in done
    ]
    found = worst([*rows, *left])
    told = {id: laws[id] for id in sorted({row.law for row in found}) if id in laws}
    named = {row.finding for row in found}
    findings = {id: findings[id] for id in sorted(findings) if id in named}
    complete = complete and all(row.verdict != "not run" for row in found)
    return Report(
        laws=told,
        rows=tuple(found),
        findings=findings,
        complete=complete,
        seconds=seconds,
        **run,
    )
