"""The order of tests under a budget: every law once, then every law on its other subjects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from treelaws.core.settings import LEVELS
from treelaws.pytest_plugin.items import Key


def in_order(keys: Sequence[Key], levels: Mapping[str, str]) -> list[int]:
    """Return the indices of tests in the order in which they run.

    The first round runs each law on one subject and starts with the first law of each topic, so
    that a short run covers every topic; laws of level "must" come before those of level "should".
    Witnesses of known departures follow, then further rounds.

    Args:
        keys: law, subject and departure of each test, as collected.
        levels: the level of each law.
    """
    subjects: dict[str, dict[str, None]] = defaultdict(dict)
    topics: dict[str, dict[str, None]] = defaultdict(dict)
    for law, subject, departure in keys:
        if not departure:
            subjects[law].setdefault(subject)
            topics[law.rpartition(".")[0]].setdefault(law)
    numbers = {law: number for number, law in enumerate(subjects)}

    def rank(index: int) -> tuple[int, int, int, int]:
        law, subject, departure = keys[index]
        if departure:
            return 1, 0, 0, index
        # Laws start with different subjects; otherwise the first round would use one subject only.
        own = list(subjects[law])
        turn = (own.index(subject) - numbers[law]) % len(own)
        place = list(topics[law.rpartition(".")[0]]).index(law)
        return 2 * turn, LEVELS.index(levels[law]), place, index

    return sorted(range(len(keys)), key=rank)
