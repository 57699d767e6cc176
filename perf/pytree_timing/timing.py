"""Times a case beside its floor and its reference, by the fixture of pytest-benchmark."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

from .operation import CLOCKS, Call, Case
from .rounds import Rounds, block_minima, how_many, rounds_of, without_gc

# Seconds a case.
BUDGET, QUICK_BUDGET = 0.7, 0.1


@dataclasses.dataclass(frozen=True)
class Timed:
    """What a case has cost.

    Args:
        case: what was timed.
        seconds: of one call, in the shortest round.
        minima: the same for each part of the run.
        floor: seconds of its floor in rounds that took turns with its own; `None` for a floor.
        reference: seconds of its reference likewise; `None` where it has none.
    """

    case: Case
    seconds: float
    minima: list[float]
    floor: float | None
    reference: float | None

    def facts(self) -> dict[str, Any]:
        """Return what stands beside the statistics in the JSON of pytest-benchmark."""
        us = self.seconds * 1e6
        told: dict[str, Any] = {
            "operation": self.case.operation.id,
            "statement": self.case.operation.statement,
            "kind": self.case.kind,
            "leaves": self.case.size,
            "backend": self.case.platform,
            "clock": self.case.operation.clock,
            "us": us,
            "us_per_leaf": us / self.case.size,
            "minima_us": [one * 1e6 for one in self.minima],
        }
        for name, beside in (("floor", self.floor), ("reference", self.reference)):
            if beside is not None:
                told |= {f"{name}_us": beside * 1e6, f"times_the_{name}": self.seconds / beside}
        return told


@functools.lru_cache(maxsize=128)
def prepared(case: Case) -> Call:
    """Return the call of a case; that of a floor or a reference serves every kind of node."""
    return case.prepare()


def timed(benchmark: Any, case: Case, call: Call, budget: float) -> Timed:
    """Time a case.

    Args:
        benchmark: the fixture of pytest-benchmark, with the clock of the case as its timer.
        case: what is timed.
        call: its call.
        budget: seconds to spend, about.
    """
    clock = CLOCKS[case.operation.clock]
    own = rounds_of(call, clock)
    beside: Mapping[str, Rounds] = {
        name: rounds_of(prepared(other), clock)
        for name, other in (("floor", case.floor), ("reference", case.reference))
        if other is not None and other != case
    }
    count = how_many([own, *beside.values()], budget)
    repeats = range(own.repeats)

    def take_turns() -> None:
        # The fixture takes no iterations where something happens between the rounds.
        benchmark.stats.iterations = own.repeats
        for one in beside.values():
            one.once()

    def target() -> None:
        for _ in repeats:
            call()

    with without_gc():
        benchmark.pedantic(target, setup=take_turns, rounds=count)
    seconds = list(benchmark.stats.stats.data)
    shortest = {name: one.shortest for name, one in beside.items()}
    return Timed(
        case, min(seconds), block_minima(seconds), shortest.get("floor"), shortest.get("reference")
    )
