"""A run that was saved, and what this one changed."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from .scaling import Estimate
from .timing import Timed
from .verdicts import Comparison, percent, verdict_of

# Two processes of the same code differ by up to this for as long as they live, and a saved run is
# one process: `--against` starts many and can tell less.
BETWEEN_PROCESSES = 0.03


class BadRun(ValueError):
    """A saved run cannot be read; the text says which and why."""


def read(path: Path) -> Mapping[str, Sequence[float]]:
    """Return the shortest rounds of the parts of a run in seconds, by case.

    Args:
        path: `timing.json` of a report, or what `--benchmark-json` and `--benchmark-save` write.

    Raises:
        BadRun: it is neither.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if "timed" in content:
            rows = content["timed"]
        else:
            rows = [one["extra_info"] for one in content["benchmarks"]]
        return {
            "{operation}-{kind}-{leaves}-{backend}".format(**row): [
                us / 1e6 for us in row["minima_us"]
            ]
            for row in rows
        }
    except OSError as raised:
        raise BadRun(f"--compare: {path}: cannot be read: {raised.strerror}") from raised
    except (ValueError, KeyError, TypeError, AttributeError) as raised:
        cure = "give the timing.json of a report or a file of --benchmark-json"
        raise BadRun(f"--compare: {path}: no saved run ({raised!r}); {cure}") from raised


def compared(
    results: Sequence[Timed], before: Mapping[str, Sequence[float]]
) -> dict[str, Comparison]:
    """Compare each case that both runs have.

    Args:
        results: of this run.
        before: of the saved one, as `read` gives it.
    """
    return {
        str(one.case): _compare(before[str(one.case)], one.minima)
        for one in results
        if str(one.case) in before
    }


def _compare(before: Sequence[float], now: Sequence[float]) -> Comparison:
    middle = math.log(min(now) / min(before))
    # How far the parts of either run lie above its shortest round.
    spread = sum(statistics.median(part) / min(part) - 1 for part in (before, now))
    half = spread + BETWEEN_PROCESSES
    ratio = Estimate(*(math.exp(bound) for bound in (middle, middle - half, middle + half)))
    return Comparison(ratio, verdict_of(ratio), 1)


def lines(found: Mapping[str, Comparison], path: Path) -> Iterator[str]:
    """Return the lines for a terminal."""
    yield f"this run beside {path}: {len(found)} cases in both"
    for verdict in ("slower", "faster"):
        of_it = [(name, one) for name, one in found.items() if one.verdict == verdict]
        for name, one in sorted(of_it, key=lambda pair: -abs(pair[1].ratio.value - 1)):
            yield f"{name:50} {verdict}: {percent(one.ratio)}"
