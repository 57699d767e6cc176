"""Two versions timed in turn, by pairs of fresh processes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .processes import Process, Version, WorkerDied, shortest_rounds, together
from .verdicts import FEWEST, Comparison, compare

__all__ = ["LOOKS", "Measured", "Version", "WorkerDied", "measure"]

# After so many pairs it is looked whether they can tell; each look more is a chance more to be
# wrong.
LOOKS = (6, 9, 12, 18)


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
        with together((baseline, candidate), number) as processes:
            for name in wanted:
                _compare_once(processes, name, found[name])
    return found


def _compare_once(processes: Sequence[Process], name: str, found: Measured) -> None:
    """Time a case in both processes, in turns, and note the shortest round of each."""
    prepared = [process.prepare(name) for process in processes]
    problems = [answer["problem"] for answer in prepared]
    if any(problems):
        sides = zip(("baseline", "candidate"), problems, strict=True)
        found.problem = "; ".join(f"{side}: {problem}" for side, problem in sides if problem)
        return
    found.figures = tuple(answer["figures"] for answer in prepared)
    baseline, candidate = shortest_rounds(processes, name)
    found.baseline.append(baseline)
    found.candidate.append(candidate)
