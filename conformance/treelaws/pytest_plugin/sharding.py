"""Shards: splits the selected law tests over several runs by their measured time."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping

import pytest

from treelaws.core.examples import costs, profiles
from treelaws.core.settings import Shard
from treelaws.laws import law_named

from .items import Key, is_law, key_of


def assign(measured: Mapping[Key, int], of: int) -> dict[Key, int]:
    """Return the number of the shard that each test belongs to.

    The longest test comes first, and each goes to the shard with the least to do, so that no shard
    takes longer than another by more than the time of one test.

    Args:
        measured: cost of each test in microseconds.
        of: number of shards.
    """
    loads = [(0, number) for number in range(1, of + 1)]
    found: dict[Key, int] = {}
    for key in sorted(measured, key=lambda key: (-measured[key], key)):
        load, number = heapq.heappop(loads)
        found[key] = number
        # At least 1, so that tests which cost nothing are distributed too.
        heapq.heappush(loads, (load + max(measured[key], 1), number))
    return found


class Splitter:
    """Selects the tests of one shard; tests that are not laws run in the first shard.

    Args:
        shard: the shard of the run.
    """

    def __init__(self, shard: Shard) -> None:
        self._shard = shard
        self._told = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Deselect the tests of other shards, after `-k` and `-m`."""
        # Keyed by law, subject and departure, since node ids differ between a clone and a wheel.
        keys = {item: key_of(item) for item in items if is_law(item)}
        known = costs.read()
        measured = {key: _microseconds(known, key) for key in keys.values()}
        shards = assign(measured, self._shard.of)
        kept: list[pytest.Item] = []
        dropped: list[pytest.Item] = []
        for item in items:
            number = shards[keys[item]] if item in keys else 1
            (kept if number == self._shard.number else dropped).append(item)
        self._told = _told(self._shard, measured, shards)
        if dropped:
            config.hook.pytest_deselected(items=dropped)
            items[:] = kept

    def pytest_report_collectionfinish(self) -> list[str]:
        """Report the share of this shard."""
        return [self._told] if self._told else []


def _told(shard: Shard, measured: Mapping[Key, int], shards: Mapping[Key, int]) -> str:
    mine = [key for key, number in shards.items() if number == shard.number]
    seconds = [_seconds(measured[key] for key in keys) for keys in (mine, measured)]
    return (
        f"treelaws: shard {shard}: {len(mine)} of {len(measured)} law tests, "
        f"measured as {seconds[0]} of {seconds[1]} s"
    )


def _microseconds(known: costs.Costs, key: Key) -> int:
    return known.of(key, profiles.examples_of(law_named(key[0])))


def _seconds(microseconds: Iterable[int]) -> int:
    return round(sum(microseconds) / 1e6)
