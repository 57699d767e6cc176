"""Lets each release write, and each reader read, several processes at a time."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from pathlib import Path

from .asked import Asked
from .cases import CASES
from .outcomes import Outcome, outcomes
from .pairs import Side
from .places import Place
from .script import Run


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
    places = {side: Place(side, asked) for side in sides}
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
    writer: Side, reader: Side, places: dict[Side, Place], problems: dict[Side, str]
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
