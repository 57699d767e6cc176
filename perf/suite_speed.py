"""How fast the suite itself is, beside Hypothesis' own floor measured in the same run.

    python perf/suite_speed.py [--examples 300] [--laws 'equinox.*'] [--slowest 15]

Prints, for each law and subject, examples per second of processor time, the cost of one example
as a multiple of drawing an integer, and kilobytes kept per example.
"""

from __future__ import annotations

import argparse
import fnmatch
import gc
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from hypothesis import Phase, given, settings, strategies as st

from hypothesis_pytrees import Recipe
from treelaws.core.examples.profiles import BOUNDS, examples_of
from treelaws.core.law import Law
from treelaws.core.search import hunt
from treelaws.core.subject import Subject
from treelaws.laws import all_laws
from treelaws.subjects.registry import subjects

_PAGE = os.sysconf("SC_PAGE_SIZE")


def resident_kb() -> float:
    """Return the resident memory of this process in kilobytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE / 1024


def rate(
    strategy: st.SearchStrategy[object], check: Callable[[object], None], examples: int
) -> tuple[float, float]:
    """Run a check over drawn values after a warm-up.

    Args:
        strategy: what to draw.
        check: what to do with each.
        examples: how many to run.

    Returns:
        Examples per second of processor time, and kilobytes kept per example.
    """
    count = 0

    def attempt(value: object) -> None:
        nonlocal count
        count += 1
        check(value)

    options = settings(
        max_examples=examples, phases=[Phase.generate], database=None, deadline=None,
        derandomize=True, suppress_health_check=[],
    )  # fmt: skip
    run = options(given(strategy)(attempt))
    run()
    gc.collect()
    count, before, start = 0, resident_kb(), time.process_time()
    run()
    spent = time.process_time() - start
    gc.collect()
    return count / spent, max(0.0, resident_kb() - before) / count


def floors(examples: int) -> dict[str, float]:
    """Measure what Hypothesis alone reaches: an integer, and recursive integers."""
    recursive = st.recursive(st.integers(), lambda inner: st.lists(inner) | st.tuples(inner))
    return {
        "an integer": rate(st.integers(), lambda _: None, examples)[0],
        "recursive integers": rate(recursive, lambda _: None, examples)[0],
    }


def measure(law: Law, subject: Subject) -> tuple[float, float]:
    """Measure one law on one subject, at its own number of examples."""

    def check(recipe: object) -> None:
        assert isinstance(recipe, Recipe)
        hunt(law, subject, recipe)

    return rate(law.strategy(subject), check, max(10, examples_of(law)))


def _is_quick(law: Law) -> bool:
    return examples_of(law) >= BOUNDS["default"].most / 2


def main() -> int:
    """Measure and print; 0 also where a law is slow, since this measures and judges nothing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=300, help="for the floors")
    parser.add_argument("--laws", default="*", help="id or pattern")
    parser.add_argument("--slowest", type=int, default=15, help="how many laws to list")
    options = parser.parse_args()
    base = floors(options.examples)
    for name, speed in base.items():
        print(f"floor, {name}: {speed:.0f} examples/s")
    rows: list[tuple[float, float, Law, str]] = []
    for law in all_laws().values():
        if not fnmatch.fnmatchcase(law.id, options.laws):
            continue
        rows += [
            (*measure(law, subject), law, subject.name)
            for subject in subjects(law.topic.family)
            if not subject.absent and not subject.missing(law.needs)
        ]
    if not rows:
        print(f"no law is called {options.laws!r}; `python -m treelaws laws` lists them")
        return 2
    for title, chosen in (
        ("quick laws", [row for row in rows if _is_quick(row[2])]),
        ("slower laws", [row for row in rows if not _is_quick(row[2])]),
    ):
        if not chosen:
            continue
        speeds = [row[0] for row in chosen]
        kept = [row[1] for row in chosen]
        middle = statistics.median(speeds)
        print(
            f"\n{title}: {len(chosen)} pairs of law and subject; median {middle:.0f} examples/s,"
            f" one example = {base['an integer'] / middle:.1f} integers; slowest {min(speeds):.0f};"
            f" median {statistics.median(kept):.1f} KB kept per example"
        )
        for speed, memory, law, subject in sorted(chosen, key=lambda row: row[0])[
            : options.slowest
        ]:
            print(f"  {speed:7.0f}/s  {memory:8.1f} KB  {law.id} [{subject}]")
    return 0


if __name__ == "__main__":
    sys.exit(main())
