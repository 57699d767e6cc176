"""From pairs of processes to a verdict: faster, slower, the same, or that it cannot be told.

Each pair gives one ratio, of the shortest rounds that two processes met in turn. A process is
slower or faster than another of the same code by a percent or two, by where its memory happens to
lie, and it is so for as long as it lives. So the spread is that between pairs, never that between
the rounds of one. Now and then a process is slower by a third; it counts as one pair, not by how
much, so the ratio is the median and its interval lies between two of the pairs.
"""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Sequence

from .scaling import Estimate

# A change below this is none that anybody would look for.
MARGIN = 0.01
# Two are the same where their ratio is known to be within this.
TOLERANCE = 0.05
CONFIDENCE = 0.95
# Of fewer, not even all of them hold the median so surely.
FEWEST = 6
VERDICTS = ("slower", "faster", "same", "cannot tell")


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What two versions cost beside each other.

    Args:
        ratio: seconds of the candidate divided by seconds of the baseline.
        verdict: of the candidate, one of `VERDICTS`.
        pairs: how many pairs of processes it rests on.
    """

    ratio: Estimate
    verdict: str
    pairs: int

    def __str__(self) -> str:
        return f"{self.verdict}: {percent(self.ratio)} in {self.pairs} pairs"


def percent(ratio: Estimate) -> str:
    """Write a ratio and its interval as changes in percent."""
    value, low, high = (100 * (bound - 1) for bound in (ratio.value, ratio.low, ratio.high))
    return f"{value:+.1f} % [{low:+.1f}, {high:+.1f}]"


def compare(baseline: Sequence[float], candidate: Sequence[float]) -> Comparison:
    """Compare two versions.

    Args:
        baseline: seconds of the shortest round, by pair of processes.
        candidate: the same for the other process of each pair.

    Raises:
        ValueError: there are fewer than six pairs, or not as many of one as of the other.
    """
    ratios = [b / a for a, b in zip(baseline, candidate, strict=True)]
    if len(ratios) < FEWEST:
        raise ValueError(f"{FEWEST} pairs are needed, got {len(ratios)}")
    from scipy import stats

    interval = stats.quantile_test(ratios, p=0.5).confidence_interval(CONFIDENCE)
    ratio = Estimate(statistics.median(ratios), float(interval.low), float(interval.high))
    return Comparison(ratio, verdict_of(ratio), len(ratios))


def verdict_of(ratio: Estimate) -> str:
    """Return the verdict that an interval of the ratio allows, one of `VERDICTS`."""
    if ratio.low > 1 + MARGIN:
        return "slower"
    if ratio.high < 1 - MARGIN:
        return "faster"
    if ratio.low > 1 - TOLERANCE and ratio.high < 1 + TOLERANCE:
        return "same"
    return "cannot tell"
