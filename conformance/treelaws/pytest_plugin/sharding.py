"""Shards: the chosen law tests, split over runs by the time that each was measured to take."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pytest

from treelaws.core.errors import BadInput
from treelaws.reporting import costs

from .items import Key, is_law, key_of


class Shard(NamedTuple):
    """One of several runs that share the laws.

    Args:
        number: which one, from 1 on.
        of: how many there are.
    """

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


class BadShard(BadInput):
    """A shard that does not exist; the text says what was given and what is allowed."""


def parse(text: str) -> Shard:
    """Read a shard such as `"1/4"`.

    Raises:
        BadShard: it is none.
    """
    numbers = re.fullmatch(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})", text)
    if numbers is not None:
        shard = Shard(int(numbers[1]), int(numbers[2]))
        if shard.number <= shard.of:
            return shard
    raise BadShard(f"{text!r} is no shard; give I/N with I from 1 to N, such as 1/4")


def assign(measured: Mapping[Key, int], of: int) -> dict[Key, int]:
    """Give the number of the shard that each test belongs to.

    The longest test comes first, and each goes to the shard with the least to do, so that no shard
    takes longer than another by more than the time of one test.

    Args:
        measured: cost of each test.
        of: how many shards there are.
    """
    loads = [(0, number) for number in range(1, of + 1)]
    found: dict[Key, int] = {}
    for key in sorted(measured, key=lambda key: (-measured[key], key)):
        load, number = heapq.heappop(loads)
        found[key] = number
        # At least 1, so that tests which cost nothing are dealt out, too.
        heapq.heappush(loads, (load + max(measured[key], 1), number))
    return found


class Splitter:
    """Leaves a run the tests of its shard: every law once in all shards, the rest in the first.

    Args:
        shard: that of the run.
    """

    def __init__(self, shard: Shard) -> None:
        self._shard = shard
        self._told = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Drop what belongs to other shards, after `-k` and `-m` have chosen."""
        # By law, subject and departure: ids of tests differ between a clone and a wheel.
        keys = {item: key_of(item) for item in items if is_law(item)}
        known = costs.read()
        measured = {key: known.of(key) for key in keys.values()}
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
        """Say how much of all the shard is."""
        return [self._told] if self._told else []


def _told(shard: Shard, measured: Mapping[Key, int], shards: Mapping[Key, int]) -> str:
    mine = [key for key, number in shards.items() if number == shard.number]
    seconds = [_seconds(measured[key] for key in keys) for keys in (mine, measured)]
    return (
        f"treelaws: shard {shard}: {len(mine)} of {len(measured)} law tests, "
        f"measured as {seconds[0]} of {seconds[1]} s"
    )


def _seconds(milliseconds: Iterable[int]) -> int:
    return round(sum(milliseconds) / 1000)
