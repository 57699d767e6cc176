"""A step between releases is confirmed, and what cannot be timed costs its own figures only."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from pytree_timing import timeline as timelines
from pytree_timing.operation import Case
from pytree_timing.pairs import Measured
from pytree_timing.processes import Version, WorkerDied
from pytree_timing.timeline import CASES, timeline

_NOISE = (1.0, 1.004, 0.997, 1.002, 0.999, 1.003)
_CASE = "tree.flatten-module-100-cpu"
# Seconds of one call, by release; 0 if it lacks the case, below 0 if its process dies.
Speeds = Mapping[str, Sequence[float]]


@dataclasses.dataclass(eq=False)
class _Process:
    version: Version
    speeds: Mapping[str, float]
    noise: Iterator[float]

    def prepare(self, name: str) -> Mapping[str, Any]:
        speed = self.speeds[name]
        if speed < 0:
            raise WorkerDied(self.version, "ImportError: no such name")
        problem = "" if speed else "the installed release has no tree.flatten"
        return {"problem": problem, "figures": {"events": round(speed * 1e6)}}

    def rounds(self, name: str, count: int) -> Mapping[str, Any]:
        return {"seconds": [self.speeds[name] * next(self.noise)] * count, "repeats": 1}


def _timeline(
    monkeypatch: pytest.MonkeyPatch, speeds: Mapping[str, Mapping[str, float]], again: float = 0.0
) -> timelines.Timeline:
    """Time releases of these speeds; a pair of fresh processes finds this ratio instead."""

    @contextlib.contextmanager
    def together(versions: Sequence[Version], seed: int) -> Iterator[list[_Process]]:
        noise = [itertools.cycle(_NOISE[-seed:] + _NOISE[:-seed]) for _ in versions]
        pairs = zip(versions, noise, strict=True)
        yield [_Process(version, speeds[version.name], own) for version, own in pairs]

    def measure(before: Version, after: Version, cases: Sequence[str]) -> dict[str, Measured]:
        ratios = {
            case: again or speeds[after.name][case] / speeds[before.name][case] for case in cases
        }
        return {case: Measured([1.0] * 6, [ratio] * 6) for case, ratio in ratios.items()}

    monkeypatch.setattr(timelines, "together", together)
    monkeypatch.setattr(timelines, "measure", measure)
    cases = list(next(iter(speeds.values())))
    return timeline([Version(name, ["python"]) for name in speeds], cases)


def test_a_step_is_between_the_releases_that_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    speeds = {
        "1.0": {_CASE: 2e-5},
        "1.1": {_CASE: 2e-5},
        "1.2": {_CASE: 3e-5},
        "1.3": {_CASE: 3e-5},
    }
    found = _timeline(monkeypatch, speeds)
    (step,) = found.steps
    assert (step.before, step.after, step.comparison.verdict) == ("1.1", "1.2", "slower")
    assert str(step).startswith(f"1.1 -> 1.2: {_CASE}: slower: +50.0 %")
    assert [len(own) for own in found.seconds[_CASE].values()] == [6, 6, 6, 6]
    assert found.calls[_CASE] == {"1.0": 20, "1.1": 20, "1.2": 30, "1.3": 30}


@pytest.mark.parametrize("again", [1.0, 0.8])
def test_a_change_that_fresh_processes_do_not_find_is_no_step(
    monkeypatch: pytest.MonkeyPatch, again: float
) -> None:
    found = _timeline(monkeypatch, {"1.0": {_CASE: 2e-5}, "1.1": {_CASE: 3e-5}}, again)
    assert found.candidates() == {("1.0", "1.1"): [_CASE]}
    assert found.steps == []


def test_a_release_that_dies_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    speeds = {"1.0": {_CASE: 2e-5}, "1.1": {_CASE: -1.0}, "1.2": {_CASE: 1e-5}}
    found = _timeline(monkeypatch, speeds)
    assert found.releases == ["1.0", "1.2"]
    assert found.problems == {"1.1": "ImportError: no such name"}
    assert [(step.before, step.after) for step in found.steps] == [("1.0", "1.2")]


def test_a_release_without_a_case_has_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    other = "tree.unflatten-module-100-cpu"
    speeds = {"1.0": {_CASE: 0.0, other: 1e-5}, "1.1": {_CASE: 2e-5, other: 1e-5}}
    found = _timeline(monkeypatch, speeds)
    assert list(found.seconds[_CASE]) == ["1.1"]
    assert list(found.seconds[other]) == ["1.0", "1.1"]
    assert found.problems["1.0"].startswith(f"{_CASE}: the installed release has no")


def test_fewer_rounds_than_can_tell_are_refused() -> None:
    with pytest.raises(ValueError, match="6 rounds are needed, got 5"):
        timeline([], [], rounds=5)


@pytest.mark.parametrize("name", [case for cases in CASES.values() for case in cases])
def test_each_case_of_the_set_exists(name: str) -> None:
    case = Case.named(name)
    assert case is not None
    assert case.kind in case.operation.kinds
    assert case.size in case.operation.sizes
