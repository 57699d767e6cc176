"""How the cost of an operation grows with the number of leaves."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence

# Beyond a thousand leaves memory caches bend even the floor.
SMALL, LARGE = 100, 1_000


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A figure and the interval of 95 % that it lies in, as far as one process can tell.

    Args:
        value: the figure.
        low: lower end.
        high: upper end.
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


def exponent(small: Sequence[float], large: Sequence[float]) -> Estimate:
    """Estimate the exponent of a power law between 100 and 1000 leaves.

    Args:
        small: seconds at 100 leaves, the least of each part of the run.
        large: seconds at 1000 leaves, as many.
    """
    step = math.log(LARGE / SMALL)
    found = [math.log(b / a) / step for a, b in zip(small, large, strict=False)]
    value = math.log(min(large) / min(small)) / step
    if len(found) < 2:
        return Estimate(value, -math.inf, math.inf)
    from scipy import stats

    quantile = float(stats.t.ppf(0.975, len(found) - 1))
    half = quantile * statistics.stdev(found) / math.sqrt(len(found))
    return Estimate(value, value - half, value + half)
