"""Two versions timed in turn, by pairs of fresh processes."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .verdicts import FEWEST, Comparison, compare

_HERE = Path(__file__).resolve().parents[1]
# Each is met by both processes before the next, so that a load that comes and goes meets both.
_TURNS, _ROUNDS = 8, 40
_SECONDS_A_TURN = 0.04
# After so many pairs it is looked whether they can tell; each look more is a chance more to be
# wrong.
LOOKS = (6, 9, 12, 18)


class WorkerDied(RuntimeError):
    """A process ended while it was asked something; the text says what it wrote last."""


@dataclasses.dataclass(frozen=True)
class Version:
    """One side of a comparison.

    Args:
        name: what it is called in reports.
        command: words that start the interpreter that has its libraries.
        path: folders that come before its libraries.
        variables: environment variables for the command; `None` for those of this process.
    """

    name: str
    command: Sequence[str]
    path: Sequence[Path] = ()
    variables: Mapping[str, str] | None = None


@dataclasses.dataclass
class Measured:
    """What is known of a case so far.

    Args:
        baseline: seconds of one call in the shortest round, by pair.
        candidate: the same of the other version.
        figures: exact figures of both, where they were counted.
        problem: why it cannot be compared; empty where it can.
    """

    baseline: list[float] = dataclasses.field(default_factory=list)
    candidate: list[float] = dataclasses.field(default_factory=list)
    figures: tuple[Mapping[str, Any] | None, ...] = (None, None)
    problem: str = ""

    @property
    def comparison(self) -> Comparison | None:
        """The verdict; `None` where there is none yet."""
        if self.problem or len(self.baseline) < FEWEST:
            return None
        return compare(self.baseline, self.candidate)

    @property
    def open(self) -> bool:
        """Whether more pairs could tell more."""
        found = self.comparison
        return found is not None and found.verdict == "cannot tell"


class _Process:
    def __init__(self, version: Version, seed: int) -> None:
        paths = os.pathsep.join(str(path) for path in (*version.path, _HERE))
        # Where memory lies depends on the seed of hashes too: a pair has it in common.
        given = os.environ if version.variables is None else version.variables
        environment = {**given, "PYTHONPATH": paths, "PYTHONHASHSEED": str(seed)}
        command = [*version.command, "-m", "pytree_timing.worker"]
        self._version = version
        self._process = subprocess.Popen(
            command, env=environment, text=True, cwd=_HERE,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def ask(self, **asked: Any) -> Mapping[str, Any]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        with contextlib.suppress(BrokenPipeError):
            stdin.write(json.dumps(asked) + "\n")
            stdin.flush()
        answer = stdout.readline()
        if not answer:
            _, said = self._process.communicate()
            last = (said.strip().splitlines() or [f"exit code {self._process.returncode}"])[-1]
            raise WorkerDied(f"{self._version.name}: {last}")
        return json.loads(answer)

    def end(self) -> None:
        # The command may be another program, which stops the interpreter before it ends.
        self._process.terminate()
        self._process.communicate()


@contextlib.contextmanager
def _pair(versions: Sequence[Version], seed: int) -> Iterator[list[_Process]]:
    processes = [_Process(version, seed) for version in versions]
    try:
        yield processes
    finally:
        for process in processes:
            process.end()


def measure(
    baseline: Version,
    candidate: Version,
    names: Sequence[str],
    *,
    tell: Callable[[str], None] = lambda line: None,
) -> dict[str, Measured]:
    """Compare two versions on cases, in six pairs of processes, eighteen where fewer cannot tell.

    Args:
        baseline: what the other is compared with.
        candidate: the other.
        names: of the cases.
        tell: takes a line of progress.

    Raises:
        WorkerDied: a process could not be started or ended early.
    """
    found = {name: Measured() for name in names}
    wanted = list(names)
    for number in range(max(LOOKS)):
        wanted = [name for name in wanted if not found[name].problem]
        if number in LOOKS:
            wanted = [name for name in wanted if found[name].open]
        if not wanted:
            break
        tell(f"pair {number + 1}: {len(wanted)} cases")
        with _pair((baseline, candidate), number) as processes:
            for name in wanted:
                _compare_once(processes, name, found[name])
    return found


def _compare_once(processes: Sequence[_Process], name: str, found: Measured) -> None:
    """Time a case in both processes, in turns, and note the shortest round of each."""
    prepared = [process.ask(prepare=name) for process in processes]
    problems = [answer["problem"] for answer in prepared]
    if any(problems):
        sides = zip(("baseline", "candidate"), problems, strict=True)
        found.problem = "; ".join(f"{side}: {problem}" for side, problem in sides if problem)
        return
    found.figures = tuple(answer["figures"] for answer in prepared)
    shortest = [float("inf")] * 2
    counts = [_rounds_in_a_turn(process, name) for process in processes]
    for turn in range(_TURNS):
        for side in (0, 1) if turn % 2 else (1, 0):
            answer = processes[side].ask(rounds=name, count=min(counts))
            shortest[side] = min(shortest[side], *answer["seconds"])
    found.baseline.append(shortest[0])
    found.candidate.append(shortest[1])


def _rounds_in_a_turn(process: _Process, name: str) -> int:
    answer = process.ask(rounds=name, count=2)
    round_seconds = min(answer["seconds"]) * answer["repeats"]
    return max(1, min(_ROUNDS, round(_SECONDS_A_TURN / max(round_seconds, 1e-6))))
