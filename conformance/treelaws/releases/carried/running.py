"""Lets each release write, and each reader read, every process with its own releases."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent import futures
from pathlib import Path
from typing import Any

from treelaws.api.choosing import matching_laws
from treelaws.compat import every_version, version
from treelaws.core.law import Law
from treelaws.releases.environments import processes
from treelaws.releases.environments.environments import Environment, environment
from treelaws.releases.environments.folders import suite_folder
from treelaws.releases.environments.processes import Ended
from treelaws.releases.environments.requirements import BadRequest
from treelaws.releases.environments.resolving import variables
from treelaws.reporting.report import fingerprint
from treelaws.subjects.registry import subjects

from .child import CASES, WRITTEN, is_carried
from .journal import Journal
from .outcomes import Outcome, outcomes
from .pairs import Side
from .script import Run

_CHILD = ("-m", "treelaws.releases.carried.child")
_SECONDS = 1800.0
_SCRIPT_SECONDS = 300.0
# The order of sets differs from process to process, which is no matter of releases.
_ALIKE = {"PYTHONHASHSEED": "0"}
# A process that dies at each case must end some time.
_DEATHS = 20


@dataclasses.dataclass(frozen=True)
class Asked:
    """What a run asks of each release.

    Args:
        package: the package under test.
        laws: patterns of law ids; empty for every law that hands over what it wrote.
        examples: number of cases that are drawn for each law and subject.
        seed: of the draws.
        runs: folder of what is written and of the outcomes, from which a stopped run continues.
    """

    package: str
    laws: tuple[str, ...]
    examples: int
    seed: int
    runs: Path

    def words(self) -> list[str]:
        """The arguments of a process that writes, after its folder.

        Raises:
            BadRequest: no law of the package fits.
        """
        pairs = [f"{subject}:{law}" for subject, law in self._pairs()]
        if not pairs:
            raise BadRequest(f"--package {self.package}: no law about files fits these patterns")
        return [str(self.examples), str(self.seed), *pairs]

    def _pairs(self) -> Iterator[tuple[str, str]]:
        needed = "" if self.package == "jax" else self.package
        found = [one for one in subjects() if one.shipped and one.requires == needed]
        if not found:
            names = sorted({one.requires or "jax" for one in subjects() if one.shipped})
            raise BadRequest(
                f"--package {self.package}: no subject needs it; choose from {', '.join(names)}"
            )
        for law in _matching(self.laws):
            if is_carried(law):
                fit = (one for one in found if one.family == law.topic.family)
                yield from ((one.name, law.id) for one in fit if one.name != "mixed")


def _matching(patterns: Sequence[str]) -> list[Law]:
    try:
        return matching_laws(patterns or ("*",), "observed")
    except ValueError as raised:
        raise BadRequest(f"--laws: {raised}") from raised


@dataclasses.dataclass(frozen=True)
class Result:
    """What became of the cases that one release wrote and another read.

    Args:
        writer: the release that wrote.
        reader: the release that read.
        outcomes: of each case; empty if a release could not run.
        libraries: the versions of both sides, by package.
        problem: why a release could not run, or could not go on.
        runs: start Python with each release, without the suite.
    """

    writer: Side
    reader: Side
    outcomes: Sequence[Outcome] = ()
    libraries: tuple[dict[str, str], dict[str, str]] = dataclasses.field(
        default_factory=lambda: ({}, {})
    )
    problem: str = ""
    runs: tuple[Run, ...] = dataclasses.field(default=(), compare=False)

    @property
    def pair(self) -> str:
        """The two releases as text."""
        return f"{self.writer.name} -> {self.reader.name}"


class _Place:
    """A release at work: how its Python starts, and what it has written."""

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
        problem = _until_done(lambda: self.run(words), self.folder / WRITTEN)
        if problem:
            return f"{self.side} cannot write: {problem}"
        # What another process of this release cannot read says nothing about other releases.
        self.own, problem = self.read(self)
        if not problem:
            (self.folder / "done").touch()
        return problem

    def read(self, writer: _Place) -> tuple[Path, str]:
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
        problem = _until_done(lambda: self.run(words), journal)
        if not problem:
            journal.with_suffix(".done").touch()
        return journal, f"{self.side} cannot read: {problem}" if problem else ""


def _shown(there: Environment | None) -> dict[str, str]:
    names = ("jax", "jaxlib", "equinox", "flax", "optax", "orbax-checkpoint")
    find = version if there is None else there.versions.get
    found = {name: find(name) for name in names}
    return {name: text for name, text in found.items() if text}


def _until_done(run: Callable[[], Ended], journal: Path) -> str:
    """Start a process again where it died, and return why it does not end; empty if it does."""
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


def run_all(
    pairs: Sequence[tuple[Side, Side]], asked: Asked, workers: int, tell: Callable[[str], None]
) -> Iterator[Result]:
    """Write with each release, read with each reader, and yield each pair when it is done.

    Args:
        pairs: writers and readers.
        asked: what each release writes.
        workers: number of processes at a time, at least 1.
        tell: takes a line of progress.
    """
    asked.words()
    sides = list(dict.fromkeys(side for pair in pairs for side in pair))
    # Installing is mostly waiting, and uv locks its cache.
    places = {side: _Place(side, asked) for side in sides}
    problems = {side: place.problem for side, place in places.items()}
    with futures.ThreadPoolExecutor(workers) as pool:
        writers = [side for side in dict.fromkeys(one for one, _ in pairs) if not problems[side]]
        for side, problem in zip(
            writers, pool.map(lambda one: places[one].write(), writers), strict=True
        ):
            problems[side] = problem
            tell(problem or f"{side} has written {_count(places[side].folder)} cases")
        made = ((one, other, places, problems) for one, other in pairs)
        for number, result in enumerate(pool.map(lambda given: _result(*given), made), 1):
            tell(f"[{number}/{len(pairs)}] {result.writer} -> {result.reader}: {_told(result)}")
            yield result


def _result(
    writer: Side, reader: Side, places: dict[Side, _Place], problems: dict[Side, str]
) -> Result:
    if problem := problems[writer] or places[reader].problem:
        return Result(writer, reader, problem=problem)
    journal, problem = places[reader].read(places[writer])
    found = outcomes(places[writer].folder, journal, places[writer].own)
    libraries = (places[writer].versions, places[reader].versions)
    runs = (places[writer].alone, places[reader].alone)
    return Result(writer, reader, found, libraries, problem, runs)


def _count(folder: Path) -> int:
    with contextlib.suppress(OSError):
        return len((folder / CASES).read_text(encoding="utf-8").splitlines())
    return 0


def _told(result: Result) -> str:
    counts: dict[str, int] = {}
    for one in result.outcomes:
        counts[one.outcome] = counts.get(one.outcome, 0) + 1
    listed = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
    return "; ".join(filter(None, (listed, result.problem)))
