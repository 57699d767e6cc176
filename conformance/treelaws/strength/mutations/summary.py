"""The result of a run as text: the score, and each mutant that no law noticed."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .mutants import Mutant

_BY = {
    "law": "a broken law",
    "error": "errors while inputs were drawn alone",
    "import": "an error at import",
    "time": "the time limit alone",
    "crash": "a crash alone",
}


def lines(
    asked: Mapping[str, Sequence[Mutant]], results: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    """Yield the lines of the summary.

    Args:
        asked: the mutants of each module that the user named.
        results: how the mutants ended, by id.
    """
    for name, mutants in asked.items():
        found = [results[one.id] for one in mutants if one.id in results]
        yield _score(name, found)
        for one in found:
            if one["outcome"] != "killed":
                yield from _survivor(one)


def _score(name: str, found: Sequence[Mapping[str, Any]]) -> str:
    outcomes = Counter(one["outcome"] for one in found)
    by = Counter(one["by"] for one in found if one["outcome"] == "killed")
    how = ", ".join(f"{count} by {_BY[kind]}" for kind, count in by.most_common())
    parts = [f"{outcomes['killed']} killed{f' ({how})' if how else ''}"]
    parts.append(f"{outcomes['survived']} survived")
    if outcomes["stale"]:
        parts.append(f"{outcomes['stale']} noticed by a stale witness alone")
    percent = 100 * outcomes["killed"] / len(found) if found else 0.0
    return f"{name}: {len(found)} mutants, {', '.join(parts)}: {percent:.0f} % killed"


def _survivor(one: Mapping[str, Any]) -> Iterator[str]:
    stale = f"; {one['detail']}" if one["outcome"] == "stale" else ""
    yield f"\n{one['file']}:{one['line']} {one['operator']}, {one['where']}{stale}"
    yield from _marked(one["before"], "  - ")
    yield from _marked(one["after"], "  + ")


def _marked(text: str, mark: str) -> Iterator[str]:
    for line in textwrap.dedent(text).splitlines():
        yield f"{mark}{line}"


def left_out(topics: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each law that does not hold on the source as it is.

    Args:
        topics: the results of the laws, by topic.
    """
    for found in topics.values():
        for one in found["laws"]:
            if one["how"] not in ("held", "skipped"):
                pair = f"{one['law']} [{one['subject']}]"
                why = f"it does not hold on the source as it is ({one['how']}: {one['detail']})"
                yield f"{pair} is left out: {why}"


def survived(
    asked: Mapping[str, Sequence[Mutant]], results: Mapping[str, Mapping[str, Any]]
) -> bool:
    """Return whether some mutant was not killed; the arguments are those of `lines`."""
    ids = [one.id for mutants in asked.values() for one in mutants]
    return any(results[id]["outcome"] != "killed" for id in ids)
