"""A release at work: it writes and reads in processes of its own Python."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from treelaws.compat import every_version, version
from treelaws.releases.environments import processes
from treelaws.releases.environments.environments import Environment, environment
from treelaws.releases.environments.folders import suite_folder
from treelaws.releases.environments.processes import Ended
from treelaws.releases.environments.resolving import variables
from treelaws.reporting.report import fingerprint

from .asked import Asked
from .cases import WRITTEN
from .journal import Journal
from .pairs import Side

_CHILD = ("-m", "treelaws.releases.carried.child")
_SECONDS = 1800.0
_SCRIPT_SECONDS = 300.0
# The order of sets differs from process to process, which has nothing to do with releases.
_ALIKE = {"PYTHONHASHSEED": "0"}
# A process that dies at each case must end some time.
_DEATHS = 20


class Place:
    """A release at work: how its Python starts, and what it has written.

    Args:
        side: the release.
        asked: what it writes.
    """

    def __init__(self, side: Side, asked: Asked) -> None:
        self.side, self.asked = side, asked
        self.folder = asked.runs / f"{asked.package}-{side.name}"
        self.there = environment(side.wanted) if side.version else None
        # The journal of its own files.
        self.own = Path()

    @property
    def problem(self) -> str:
        """Why it cannot run; empty if it can."""
        found = self.there.problem if self.there is not None else ""
        return f"{self.side} cannot be installed: {found}" if found else ""

    @property
    def versions(self) -> dict[str, str]:
        """The versions of its libraries."""
        return _shown(self.there)

    @property
    def installed(self) -> list[Any]:
        """What tells it from another installation of this release: Python and all packages."""
        if self.there is not None:
            return [self.there.wanted.name, sorted(self.there.versions.items())]
        return [sys.version, sorted(every_version().items())]

    def run(self, words: Iterable[str]) -> Ended:
        """Run a process of this release."""
        if self.there is not None:
            return self.there.run([*_CHILD, *words], _SECONDS, more=_ALIKE)
        given = {**variables(), "PYTHONPATH": str(suite_folder()), **_ALIKE}
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as empty:
            command = [sys.executable, *_CHILD, *words]
            return processes.run(command, _SECONDS, given, Path(empty))

    def alone(self, words: Iterable[str], folder: Path) -> Ended:
        """Start Python with this release and without the suite in a folder."""
        if self.there is not None:
            return self.there.run([*words], _SCRIPT_SECONDS, suite=False, folder=folder)
        return processes.run([sys.executable, *words], _SCRIPT_SECONDS, variables(), folder)

    def write(self) -> str:
        """Write the cases unless that was done before, and return why it could not."""
        signature = json.dumps([fingerprint(), self.installed, *self.asked.words()])
        noted = self.folder / "asked.json"
        if not (noted.exists() and noted.read_text(encoding="utf-8") == signature):
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            noted.write_text(signature, encoding="utf-8")
        elif (self.folder / "done").exists():
            self.own, problem = self.read(self)
            return problem
        words = ["write", str(self.folder.absolute()), *self.asked.words()]
        problem = until_done(lambda: self.run(words), self.folder / WRITTEN)
        if problem:
            return f"{self.side} cannot write: {problem}"
        # What another process of this release cannot read says nothing about other releases.
        self.own, problem = self.read(self)
        if not problem:
            (self.folder / "done").touch()
        return problem

    def read(self, writer: Place) -> tuple[Path, str]:
        """Read what another release wrote; return the journal, and why it is incomplete."""
        journal = writer.folder / f"read-by-{self.side.name}.jsonl"
        noted, signature = journal.with_suffix(".json"), json.dumps(self.installed)
        if not (noted.exists() and noted.read_text(encoding="utf-8") == signature):
            journal.unlink(missing_ok=True)
            journal.with_suffix(".done").unlink(missing_ok=True)
            noted.write_text(signature, encoding="utf-8")
        elif journal.with_suffix(".done").exists():
            return journal, ""
        words = ["read", str(writer.folder.absolute()), str(journal.absolute())]
        problem = until_done(lambda: self.run(words), journal)
        if not problem:
            journal.with_suffix(".done").touch()
        return journal, f"{self.side} cannot read: {problem}" if problem else ""


def _shown(there: Environment | None) -> dict[str, str]:
    names = ("jax", "jaxlib", "equinox", "flax", "optax", "orbax-checkpoint")
    find = version if there is None else there.versions.get
    found = {name: find(name) for name in names}
    return {name: text for name, text in found.items() if text}


def until_done(run: Callable[[], Ended], journal: Path) -> str:
    """Start a process again where it died, and return why it does not end; empty if it does.

    Args:
        run: starts the process.
        journal: its journal.
    """
    before = -1
    # A case in which the whole run was stopped has not ended the process.
    Journal(journal).forget()
    for _ in range(_DEATHS):
        ended = run()
        if ended.code == 0:
            return ""
        if ended.code is None:
            # Nor has one in which its time was over.
            Journal(journal).forget()
        now = len(Journal(journal).read()[0])
        if now <= before:
            break
        before = now
    return ended.reason
