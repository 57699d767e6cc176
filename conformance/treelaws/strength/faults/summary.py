"""What the matrix says of each function and fault, over all laws."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from .argued import Argument
from .matrix import MISSED, NOTICED, Cell, by_function

ARGUED = "argued"


@dataclasses.dataclass(frozen=True)
class Summary:
    """The outcome of each function and fault, and the laws that notice it.

    Args:
        outcomes: by function and fault; `ARGUED` in place of `MISSED` if an argument covers it.
        stale: arguments that cover no missed fault of what was tried.
    """

    outcomes: Mapping[tuple[str, str], str]
    stale: Sequence[Argument]

    def missed(self) -> Iterator[tuple[str, str]]:
        """Yield each function and fault that no law notices, without an argument."""
        return (key for key, outcome in self.outcomes.items() if outcome == MISSED)

    def counts(self) -> Mapping[str, Counter[str]]:
        """Return how often each outcome occurs, by library."""
        found: dict[str, Counter[str]] = {}
        for (function, _), outcome in sorted(self.outcomes.items()):
            found.setdefault(function.split(".")[0], Counter())[outcome] += 1
        return found


def summary(cells: Sequence[Cell], argued: Sequence[Argument]) -> Summary:
    """Return the outcome of each function and fault.

    Args:
        cells: the matrix.
        argued: the arguments for missed faults.
    """
    outcomes, used = dict(by_function(cells)), set()
    for function, fault in [key for key, outcome in outcomes.items() if outcome == MISSED]:
        reasons = [one for one in argued if one.covers(function, fault)]
        used.update(reasons)
        if reasons:
            outcomes[function, fault] = ARGUED
    return Summary(outcomes, [one for one in argued if one not in used])


def lines(found: Summary) -> Iterator[str]:
    """Yield the table by library, then the missed faults."""
    for library, counts in found.counts().items():
        shown = counts[NOTICED] + counts[ARGUED] + counts[MISSED]
        yield (
            f"{library}: {counts[NOTICED]} of {shown} faults of functions noticed, "
            f"{counts[ARGUED]} argued, {counts[MISSED]} missed"
        )
    for function, fault in sorted(found.missed()):
        yield f"missed: {function}: {fault}"
