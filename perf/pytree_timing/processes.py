"""Processes that time cases in turn, each with its own releases."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parents[1]
# All processes time a case before the next one, so that a load that comes and goes meets all.
_TURNS, _ROUNDS = 8, 40
_SECONDS_A_TURN = 0.04


@dataclasses.dataclass(frozen=True)
class Version:
    """What a process runs.

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


class WorkerDied(RuntimeError):
    """A process ended while it was asked something; the text says what it wrote last.

    Args:
        version: what it ran.
        said: its last words.
    """

    def __init__(self, version: Version, said: str) -> None:
        super().__init__(f"{version.name}: {said}")
        self.version = version
        self.said = said


class Process:
    """A process of a version, which answers questions about cases; see `worker`.

    Args:
        version: what it runs.
        seed: of its hashes.
    """

    def __init__(self, version: Version, seed: int) -> None:
        paths = os.pathsep.join(str(path) for path in (*version.path, _HERE))
        # Where memory lies depends on the seed of hashes too: processes in turn have it in common.
        given = os.environ if version.variables is None else version.variables
        environment = {**given, "PYTHONPATH": paths, "PYTHONHASHSEED": str(seed)}
        command = [*version.command, "-m", "pytree_timing.worker"]
        self.version = version
        self._process = subprocess.Popen(
            command, env=environment, text=True, cwd=_HERE,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def prepare(self, name: str) -> Mapping[str, Any]:
        """Let it prepare a case, and return its `problem` and its exact `figures`.

        Raises:
            WorkerDied: it has ended.
        """
        return self._ask(prepare=name)

    def rounds(self, name: str, count: int) -> Mapping[str, Any]:
        """Let it time rounds of a prepared case, and return their `seconds` and `repeats`.

        Raises:
            WorkerDied: it has ended.
        """
        return self._ask(rounds=name, count=count)

    def _ask(self, **asked: Any) -> Mapping[str, Any]:
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
            raise WorkerDied(self.version, last)
        return json.loads(answer)

    def end(self) -> None:
        """Stop it."""
        # The command may be another program, which stops the interpreter before it ends.
        self._process.terminate()
        self._process.communicate()


@contextlib.contextmanager
def together(versions: Sequence[Version], seed: int) -> Iterator[list[Process]]:
    """Start a process of each version inside a `with` block.

    Args:
        versions: what they run.
        seed: of their hashes.
    """
    processes = [Process(version, seed) for version in versions]
    try:
        yield processes
    finally:
        for process in processes:
            process.end()


def shortest_rounds(processes: Sequence[Process], name: str) -> list[float]:
    """Time a case in turns, and return the seconds of one call in the shortest round of each.

    Args:
        processes: each has prepared the case.
        name: of the case.

    Raises:
        WorkerDied: a process has ended.
    """
    shortest = {process: float("inf") for process in processes}
    count = min(_rounds_in_a_turn(process, name) for process in processes)
    for turn in range(_TURNS):
        # Back and forth, so that none always follows the same one.
        for process in processes if turn % 2 else reversed(processes):
            answer = process.rounds(name, count)
            shortest[process] = min(shortest[process], *answer["seconds"])
    return list(shortest.values())


def _rounds_in_a_turn(process: Process, name: str) -> int:
    answer = process.rounds(name, 2)
    round_seconds = min(answer["seconds"]) * answer["repeats"]
    return max(1, min(_ROUNDS, round(_SECONDS_A_TURN / max(round_seconds, 1e-6))))
