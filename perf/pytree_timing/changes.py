"""What differs between two versions, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .pairs import Measured
from .scaling import LARGE, SMALL, Estimate, exponent
from .verdicts import VERDICTS

# Above this an operation does more than its share with every leaf that comes to it.
STEEP = 1.35
# Calls of functions are counted exactly, but another Python or jaxlib shifts them a little.
_FEW_CALLS = 0.02


def lines(found: Mapping[str, Measured], baseline: str) -> Iterator[str]:
    """Return the lines.

    Args:
        found: what was compared, by case.
        baseline: name of what it was compared with.
    """
    if not found:
        return
    yield f"installed beside {baseline}"
    verdicts = {name: one.comparison for name, one in found.items() if one.comparison is not None}
    for verdict in VERDICTS:
        of_it = [(name, one) for name, one in verdicts.items() if one.verdict == verdict]
        if verdict == "same":
            yield f"same: {len(of_it)} cases"
            continue
        for name, one in sorted(of_it, key=lambda pair: -abs(pair[1].ratio.value - 1)):
            yield f"{name:50} {one}"
    yield from (f"{name:50} {line}" for name, line in counts_that_changed(found))
    yield from (f"{name:50} {line}" for name, line in exponents_that_changed(found))
    problems = {one.problem for one in found.values() if one.problem}
    for problem in sorted(problems):
        count = sum(one.problem == problem for one in found.values())
        yield f"not compared: {count} cases: {problem}"


def counts_that_changed(found: Mapping[str, Measured]) -> Iterator[tuple[str, str]]:
    """Return the cases whose exact figures differ, and how."""
    for name, one in found.items():
        before, after = one.figures
        if before is None or after is None:
            continue
        old, new = before["events"], after["events"]
        if abs(new - old) > _FEW_CALLS * old:
            yield name, f"calls of functions: {old} -> {new}"
        for stage in ("flattens", "unflattens", "traces", "lowerings", "compilations"):
            if before[stage] != after[stage]:
                yield name, f"{stage}: {before[stage]} -> {after[stage]}"


def exponents_that_changed(found: Mapping[str, Measured]) -> Iterator[tuple[str, str]]:
    """Return the operations that grow otherwise with the number of leaves, by their first case."""
    for name, small in found.items():
        operation, kind, size, platform = name.rsplit("-", 3)
        large = found.get(f"{operation}-{kind}-{LARGE}-{platform}")
        if size != str(SMALL) or large is None or small.problem or large.problem:
            continue
        old = exponent(small.baseline, large.baseline)
        new = exponent(small.candidate, large.candidate)
        if _apart(old, new) and max(old.value, new.value) > STEEP:
            yield f"{operation}-{kind}", f"exponent: {old} -> {new}"


def _apart(old: Estimate, new: Estimate) -> bool:
    return old.high < new.low or new.high < old.low
