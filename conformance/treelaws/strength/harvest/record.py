"""The committed kinds of argument that other projects' tests pass, and those that no law passes."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from treelaws.core.files import replace_text
from treelaws.strength.coverage.recorder import CALL, Calls
from treelaws.strength.coverage.table import Entry, reason

FILE = Path(__file__).with_name("harvest.json")
# By name of a function and parameter: the kinds, in order.
Harvest = Mapping[str, Mapping[str, list[str]]]
# Kinds that a function cannot tell apart, or which laws pass in another way: a tracer is the array
# of a transformation around the call.
_ALIKE = {"lambda": "function", "tracer": "jax.Array"}


@functools.cache
def read() -> Harvest:
    """Return the committed kinds."""
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}


def write(calls: Calls) -> None:
    """Record the kinds in the counts of a run, beside those of other runs."""
    held = {name: dict(parameters) for name, parameters in read().items()}
    for name, counts in calls.items():
        known = held.setdefault(name, {})
        for parameter, kinds in counts.items():
            if parameter != CALL:
                known[parameter] = sorted({*known.get(parameter, ()), *kinds})
    lines = [
        f"{json.dumps(name)}: {json.dumps(held[name], sort_keys=True)}" for name in sorted(held)
    ]
    replace_text(FILE, "{\n" + ",\n".join(lines) + "}\n")
    read.cache_clear()


def unpassed(listed: Iterable[Entry]) -> Iterator[str]:
    """Give each kind of argument that others pass to a function and no law does.

    What no law calls, or never passes a value to, is a gap of its own.

    Args:
        listed: entries of the coverage of a library.
    """
    for one in listed:
        for parameter, kinds in read().get(one.name, {}).items():
            passed = {_alike(kind) for kind in one.parameters.get(parameter, {})}
            if one.calls and passed:
                found = dict.fromkeys(kind for kind in kinds if _alike(kind) not in passed)
                yield from (f"{one.name}({parameter}): {kind}" for kind in found)


def open_kinds(listed: Iterable[Entry]) -> list[str]:
    """Return those of `unpassed` that have no reason."""
    return [found for found in unpassed(listed) if not reason(found)]


def _alike(kind: str) -> str:
    return _ALIKE.get(kind, kind)
