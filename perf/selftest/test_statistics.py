"""Verdicts, exponents and rounds on figures whose truth is known."""

from __future__ import annotations

import itertools
import json
import random
import statistics
from pathlib import Path

import pytest

from pytree_timing.operation import Case
from pytree_timing.rounds import BLOCKS, block_minima, how_many, interleaved, rounds_of
from pytree_timing.saved import compared, read
from pytree_timing.scaling import exponent
from pytree_timing.timing import Timed
from pytree_timing.verdicts import compare


def _pairs(ratio: float, spread: float, seed: int, count: int = 6) -> tuple[list[float], ...]:
    chance = random.Random(seed)
    before = [1e-4 * (1 + chance.gauss(0, spread)) for _ in range(count)]
    after = [1e-4 * ratio * (1 + chance.gauss(0, spread)) for _ in range(count)]
    return before, after


def _share(verdict: str, ratio: float, spread: float = 0.01) -> float:
    found = [compare(*_pairs(ratio, spread, seed)).verdict for seed in range(400)]
    return statistics.fmean(one == verdict for one in found)


@pytest.mark.sweep
def test_five_percent_is_told_and_nothing_is_made_up() -> None:
    assert _share("slower", 1.05) >= 0.95
    assert _share("faster", 1 / 1.05) >= 0.95
    assert _share("same", 1.0) >= 0.95
    assert _share("slower", 1.0) + _share("faster", 1.0) <= 0.02


def test_a_wide_spread_cannot_tell() -> None:
    assert _share("cannot tell", 1.02, spread=0.1) >= 0.8
    assert _share("slower", 1.0, spread=0.1) + _share("faster", 1.0, spread=0.1) <= 0.06


def test_a_process_that_is_slower_by_a_third_changes_no_verdict() -> None:
    before, after = _pairs(1.05, 0.01, seed=1, count=9)
    before[0] *= 4 / 3
    assert compare(before, after).verdict == "slower"
    assert compare(after[1:], after[1:]).verdict == "same"


def test_the_ratio_is_that_of_the_candidate_to_the_baseline() -> None:
    found = compare([1.0] * 6, [1.5] * 6)
    assert (found.verdict, found.pairs) == ("slower", 6)
    assert found.ratio.value == pytest.approx(1.5)
    assert str(found) == "slower: +50.0 % [+50.0, +50.0] in 6 pairs"
    with pytest.raises(ValueError, match="6 pairs are needed, got 1"):
        compare([1.0], [1.0])


def _run(folder: Path, seconds: float) -> Path:
    row = {"operation": "tree.flatten", "kind": "node", "leaves": 10, "backend": "cpu"}
    path = folder / "run.json"
    path.write_text(json.dumps({"timed": [{**row, "minima_us": [seconds * 1e6] * BLOCKS}]}))
    return path


@pytest.mark.parametrize(
    ("ratio", "verdict"),
    [(1.06, "slower"), (0.94, "faster"), (1.01, "same"), (1.03, "cannot tell")],
)
def test_a_saved_run_is_one_process(tmp_path: Path, ratio: float, verdict: str) -> None:
    case = Case.named("tree.flatten-node-10-cpu")
    assert case is not None
    now = Timed(case, ratio * 1e-5, [ratio * 1e-5] * BLOCKS, None, None)
    (found,) = compared([now], read(_run(tmp_path, 1e-5))).values()
    assert found.verdict == verdict
    (again,) = compared([now], read(_saved_by_pytest_benchmark(tmp_path))).values()
    assert again == found


def _saved_by_pytest_benchmark(folder: Path) -> Path:
    (row,) = json.loads(_run(folder, 1e-5).read_text())["timed"]
    path = folder / "benchmark.json"
    path.write_text(json.dumps({"benchmarks": [{"extra_info": row}]}))
    return path


@pytest.mark.parametrize("power", [0.0, 1.0, 1.67, 2.0])
def test_an_exponent_is_found_and_lies_in_its_interval(power: float) -> None:
    chance = random.Random(0)
    small, large = (
        [leaves**power * (1 + chance.uniform(0, 0.05)) for _ in range(BLOCKS)]
        for leaves in (100, 1_000)
    )
    found = exponent(small, large)
    assert found.low <= power <= found.high
    assert found.high - found.low < 0.05


def test_one_part_gives_an_exponent_without_bounds() -> None:
    found = exponent([1.0], [10.0])
    assert found.value == pytest.approx(1)
    assert (found.low, found.high) == (float("-inf"), float("inf"))


def test_the_shortest_round_of_each_part_counts() -> None:
    seconds = [float(number) for number in range(1, 3 * BLOCKS + 1)]
    assert block_minima(seconds) == [float(number) for number in range(1, BLOCKS + 1)]
    assert block_minima([2.0, 1.0]) == [2.0, 1.0]


class _Clock:
    """Counts the calls instead of the seconds."""

    def __init__(self) -> None:
        self.now = 0.0
        self.order: list[str] = []

    def call(self, name: str, seconds: float) -> None:
        self.now += seconds
        self.order.append(name)


def test_rounds_take_turns_and_a_short_call_is_repeated() -> None:
    clock = _Clock()
    found = interleaved(
        {"short": lambda: clock.call("short", 1e-6), "long": lambda: clock.call("long", 1e-3)},
        lambda: clock.now,
        budget=0.1,
    )
    assert found["short"].repeats == 100
    assert found["long"].repeats == 1
    assert found["short"].shortest == pytest.approx(1e-6)
    assert found["long"].shortest == pytest.approx(1e-3)
    assert len(found["short"].seconds) == len(found["long"].seconds) == 90
    turns = [name for name, _ in itertools.groupby(clock.order[-1010:])]
    assert set(turns[::2]) != set(turns[1::2])


def test_there_are_six_rounds_however_long_one_is() -> None:
    clock = _Clock()
    own = rounds_of(lambda: clock.call("slow", 2.0), lambda: clock.now)
    assert how_many([own], budget=1.0) == 3
    assert own.seconds == []
