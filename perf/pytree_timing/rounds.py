"""Timing calls in short rounds that take turns, of which the shortest counts.

A load on the machine makes some rounds longer and none shorter. Rounds that take turns meet the
same load, and rounds that are shorter than a time slice are seldom cut by one.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import math
from collections.abc import Iterator, Mapping, Sequence

from .operation import Call, Clock

# Long beside what reading a clock costs (0.3 us), short beside a time slice (some milliseconds).
_ROUND = 1e-4
_FEWEST, _MOST = 3, 3_000
BLOCKS = 6


@dataclasses.dataclass
class Rounds:
    """The rounds of one call.

    Args:
        call: what is timed.
        clock: gives seconds.
        repeats: calls in a round.
        seconds: of one call, by round.
    """

    call: Call
    clock: Clock
    repeats: int
    seconds: list[float] = dataclasses.field(default_factory=list)

    def once(self) -> None:
        """Time a round."""
        call, clock, repeats = self.call, self.clock, range(self.repeats)
        begun = clock()
        for _ in repeats:
            call()
        self.seconds.append((clock() - begun) / self.repeats)

    @property
    def shortest(self) -> float:
        """Seconds of one call in the shortest round."""
        return min(self.seconds)

    @property
    def block_minima(self) -> list[float]:
        """Seconds of one call in the shortest round of each of `BLOCKS` parts of the run."""
        return block_minima(self.seconds)


def block_minima(seconds: Sequence[float]) -> list[float]:
    """Return the least of each of `BLOCKS` parts, of some of which each takes every sixth."""
    return [min(seconds[start::BLOCKS]) for start in range(BLOCKS) if seconds[start::BLOCKS]]


def rounds_of(call: Call, clock: Clock) -> Rounds:
    """Find how many calls make a round, after one that warms up.

    Args:
        call: what is timed.
        clock: gives seconds.
    """
    call()
    trial = Rounds(call, clock, 1)
    for _ in range(3):
        trial.once()
        # A long call makes a round, however short another may be.
        if trial.shortest > 10 * _ROUND:
            break
    # A clock may be coarser than the call.
    return Rounds(call, clock, max(1, round(_ROUND / max(trial.shortest, 1e-7))))


def how_many(timed: Sequence[Rounds], budget: float) -> int:
    """Return how many rounds of each fit into a budget of seconds, at least 3 and at most 3000."""
    turn = 0.0
    for one in timed:
        one.once()
        turn += one.seconds.pop() * one.repeats
    return max(_FEWEST, min(_MOST, math.floor(budget / max(turn, 1e-6))))


def interleaved(calls: Mapping[str, Call], clock: Clock, budget: float) -> Mapping[str, Rounds]:
    """Time calls in rounds that take turns.

    Args:
        calls: what is timed.
        clock: gives seconds.
        budget: seconds to spend, about.
    """
    timed = {name: rounds_of(call, clock) for name, call in calls.items()}
    order = list(timed.values())
    with without_gc():
        for turn in range(how_many(order, budget)):
            # Back and forth, so that none always follows the same one.
            for one in order if turn % 2 else reversed(order):
                one.once()
    return timed


@contextlib.contextmanager
def without_gc() -> Iterator[None]:
    """Let no collection fall into a round."""
    enabled = gc.isenabled()
    # What is there by now is left out of later collections, which makes them short.
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
