"""Many releases timed in turn, and the releases at which an operation became slower or faster.

Each round starts a process of every release, and all of them time a case before the next case. A
change between neighbours that shows in every round is only a candidate: of hundreds of comparisons
some are wrong by chance. It is a step if pairs of fresh processes say the same.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

from .pairs import measure
from .processes import Process, Version, WorkerDied, shortest_rounds, together
from .verdicts import FEWEST, Comparison, compare

Tell = Callable[[str], None]
_STEPS = ("slower", "faster")
# What people call in each step of training, on the library's own nodes; on flat leaves for JAX
# and Optax, whose work is the same on any.
CASES: Mapping[str, Sequence[str]] = {
    "equinox": (
        *("dispatch.filter_jit-module-100-cpu", "derivative.filter_value_and_grad-module-100-cpu"),
        *("compile.filter_jit_lower-module-100-cpu", "filter.partition-module-100-cpu"),
        *("filter.combine-module-100-cpu", "tree_at.one_leaf-module-100-cpu"),
        *("tree.flatten-module-100-cpu", "tree.unflatten-module-100-cpu"),
        *("tree.flatten_with_path-module-100-cpu", "state.set-tuple-100-cpu"),
    ),
    "flax": (
        *("dispatch.nnx_jit-nnx-100-cpu", "dispatch.nnx_cached_partial-nnx-100-cpu"),
        *("dispatch.split_and_jax_jit-nnx-100-cpu", "compile.trace_of_writes-nnx-100-cpu"),
        *("nnx.split-nnx-100-cpu", "nnx.merge-nnx-100-cpu", "nnx.state-nnx-100-cpu"),
        *("nnx.update-nnx-100-cpu", "tree.flatten-nnx-100-cpu", "tree.unflatten-nnx-100-cpu"),
    ),
    "jax": (
        *("dispatch.jax_jit-tuple-100-cpu", "dispatch.jax_jit-node-100-cpu"),
        *("derivative.jax_grad-tuple-100-cpu", "derivative.jax_vmap-tuple-100-cpu"),
        *("compile.trace-tuple-100-cpu", "compile.trace_and_lower-tuple-100-cpu"),
        *("tree.flatten-tuple-100-cpu", "tree.unflatten-tuple-100-cpu", "tree.map-tuple-100-cpu"),
        *("tree.flatten_with_path-node-100-cpu", "tree.compare_structures-node-100-cpu"),
    ),
    "optax": (
        *("optimiser.init-tuple-100-cpu", "optimiser.update-tuple-100-cpu"),
        *("optimiser.jitted_update-tuple-100-cpu", "training.jax_jit_step-tuple-100-cpu"),
    ),
}


@dataclasses.dataclass(frozen=True)
class Step:
    """A change between a release and the next one.

    Args:
        case: what became slower or faster.
        before: the release before it.
        after: the first release with it.
        comparison: of the pairs of processes that confirmed it.
    """

    case: str
    before: str
    after: str
    comparison: Comparison

    def __str__(self) -> str:
        return f"{self.before} -> {self.after}: {self.case}: {self.comparison}"


@dataclasses.dataclass
class Timeline:
    """What is known of releases.

    Args:
        releases: names of the versions that ran, oldest first.
        seconds: of one call in the shortest round, by case, release and round.
        calls: of Python and C functions in one call of a case, by case and release; exact.
        problems: why a release, or a case of a release, was not timed, by release.
        steps: the confirmed changes.
    """

    releases: list[str]
    seconds: dict[str, dict[str, list[float]]] = dataclasses.field(default_factory=dict)
    calls: dict[str, dict[str, int]] = dataclasses.field(default_factory=dict)
    problems: dict[str, str] = dataclasses.field(default_factory=dict)
    steps: list[Step] = dataclasses.field(default_factory=list)

    def neighbours(self, case: str) -> Iterator[tuple[str, str]]:
        """Yield each release that has a case with the next one that has it."""
        return itertools.pairwise(self.seconds.get(case, {}))

    def candidates(self) -> dict[tuple[str, str], list[str]]:
        """Return the cases that changed in every round, by neighbouring releases, oldest first."""
        found: dict[tuple[str, str], list[str]] = {}
        for case, seconds in self.seconds.items():
            for before, after in self.neighbours(case):
                if compare(seconds[before], seconds[after]).verdict in _STEPS:
                    found.setdefault((before, after), []).append(case)
        return dict(sorted(found.items(), key=lambda item: self.releases.index(item[0][1])))


def timeline(
    versions: Sequence[Version],
    cases: Sequence[str],
    *,
    rounds: int = FEWEST,
    tell: Tell = lambda line: None,
) -> Timeline:
    """Time cases on many versions in turn, and confirm what changes between neighbours.

    Args:
        versions: the releases, oldest first; one that ends early is left out.
        cases: names of the cases.
        rounds: number of processes of each version, at least 6.
        tell: takes a line of progress.

    Raises:
        ValueError: there are fewer than six rounds.
    """
    if rounds < FEWEST:
        raise ValueError(f"{FEWEST} rounds are needed, got {rounds}")
    found = Timeline([version.name for version in versions])
    for number in range(rounds):
        running = [version for version in versions if version.name in found.releases]
        tell(f"round {number + 1} of {rounds}: {len(running)} releases, {len(cases)} cases")
        with together(running, number) as processes:
            for case in cases:
                _time(processes, case, found)
    _keep_whole(found, rounds)
    found.steps = list(_confirmed({version.name: version for version in versions}, found, tell))
    return found


def _time(processes: Sequence[Process], case: str, found: Timeline) -> None:
    """Time a case in all processes that can, and note it."""
    able: list[Process] = []
    for process in [one for one in processes if one.version.name in found.releases]:
        name = process.version.name
        try:
            answer = process.prepare(case)
        except WorkerDied as died:
            found.releases.remove(name)
            found.problems[name] = died.said
            continue
        if answer["problem"]:
            told = f"{case}: {answer['problem']}"
            if told not in found.problems.setdefault(name, told):
                found.problems[name] += f"; {told}"
            continue
        if answer["figures"]:
            found.calls.setdefault(case, {})[name] = answer["figures"]["events"]
        able.append(process)
    seconds = found.seconds.setdefault(case, {})
    for process, shortest in zip(able, shortest_rounds(able, case) if able else (), strict=True):
        seconds.setdefault(process.version.name, []).append(shortest)


def _keep_whole(found: Timeline, rounds: int) -> None:
    """Keep what has a figure of each round: a ratio is that of two processes of one round."""
    for case, seconds in list(found.seconds.items()):
        whole = [name for name in found.releases if len(seconds.get(name, ())) == rounds]
        calls = found.calls.pop(case, {})
        found.seconds[case] = {name: seconds[name] for name in whole}
        found.calls[case] = {name: calls[name] for name in whole if name in calls}
    found.seconds = {case: seconds for case, seconds in found.seconds.items() if seconds}
    found.calls = {case: calls for case, calls in found.calls.items() if calls}


def _confirmed(versions: Mapping[str, Version], found: Timeline, tell: Tell) -> Iterator[Step]:
    """Yield the candidates that pairs of fresh processes confirm."""
    for (before, after), cases in found.candidates().items():
        tell(f"{before} -> {after}: {', '.join(cases)}")
        measured = measure(versions[before], versions[after], cases)
        for case in cases:
            seconds = found.seconds[case]
            first = compare(seconds[before], seconds[after])
            again = measured[case].comparison
            if again is not None and again.verdict == first.verdict:
                yield Step(case, before, after, again)
