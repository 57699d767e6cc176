"""Which laws run on a mutant, and in which order.

A law is relevant to a line that ran while the law was checked on the source as it is. Some lines
run once in a process, such as those that create a class: the other laws of the same topic may have
been spared them, so they come next, with few examples. So do the laws beyond a time limit. A line
that ran at import alone may change everything: then all laws run with few examples, those that run
other lines of the module before the others.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .mutants import Mutant
from .statements import statement_at

# Processor time of the laws that run with all examples, in seconds. Some lines run for each law.
_WHOLE = 60.0


class Pair(NamedTuple):
    """A law and a subject on which it holds, as measured on the source as it is.

    Args:
        topic: the topic of the law.
        law: id of the law.
        subject: name of the subject.
        seconds: processor time of all its cases.
        lines: the lines that ran, by file.
    """

    topic: str
    law: str
    subject: str
    seconds: float
    lines: Mapping[str, frozenset[int]]


class Clean(NamedTuple):
    """The laws on the source as it is.

    Args:
        held: the laws that hold.
        loaded: the lines that run when the library is imported, by file.
    """

    held: tuple[Pair, ...]
    loaded: Mapping[str, frozenset[int]]

    @classmethod
    def of(cls, topics: Mapping[str, Mapping[str, Any]]) -> Clean:
        """Return what the lines of a file of results say."""
        held, loaded = [], dict[str, frozenset[int]]()
        for topic, found in topics.items():
            for file, lines in found["import"].items():
                loaded[file] = loaded.get(file, frozenset()) | _numbers(lines)
            for one in found["laws"]:
                if one["how"] == "held":
                    lines = {file: _numbers(text) for file, text in one["lines"].items()}
                    held.append(Pair(topic, one["law"], one["subject"], one["seconds"], lines))
        return cls(tuple(held), loaded)


class Relevant(NamedTuple):
    """The laws for a mutant.

    Args:
        pairs: the laws, in the order in which they run.
        others: laws that run after them with few examples.
        where: `"run by N laws"`, `"run at import"`, `"never executed"`.
    """

    pairs: list[Pair]
    others: list[Pair]
    where: str


def relevant(mutant: Mutant, clean: Clean) -> Relevant:
    """Return the laws that may notice a mutant, the most relevant first.

    Args:
        mutant: the mutant.
        clean: the laws on the source as it is.
    """
    file, lines = mutant.module.file, set(statement_at(mutant.module.text(), mutant.line))
    running = [one for one in clean.held if lines & one.lines.get(file, frozenset())]
    if running:
        topics = {one.topic for one in running}
        mates = [one for one in clean.held if one.topic in topics]
        pairs = _without_repeats(running, mates)
        whole = min(len(running), _number_within(_WHOLE, pairs))
        return Relevant(pairs[:whole], pairs[whole:], f"run by {len(running)} laws")
    if not lines & clean.loaded.get(file, frozenset()):
        return Relevant([], [], "never executed")
    users = [one for one in clean.held if one.lines.get(file)]
    return Relevant([], _without_repeats(users, clean.held), "run at import")


def _number_within(seconds: float, pairs: Iterable[Pair]) -> int:
    """Return how many of the laws, from the first one, take this time together; at least one."""
    times = itertools.accumulate(one.seconds for one in pairs)
    return max(1, sum(time <= seconds for time in times))


def _without_repeats(*groups: Iterable[Pair]) -> list[Pair]:
    """Return the laws of each group, sorted, without those of an earlier one."""
    found: dict[tuple[str, str], Pair] = {}
    for one in itertools.chain.from_iterable(map(_in_turn, groups)):
        found.setdefault((one.law, one.subject), one)
    return list(found.values())


def _in_turn(pairs: Iterable[Pair]) -> list[Pair]:
    """Sort by time, but take one law of each topic in turn: those of one topic see the same."""
    seen: Counter[str] = Counter()
    ranked = []
    for one in sorted(pairs, key=lambda one: (one.seconds, one.law, one.subject)):
        ranked.append((seen[one.topic], one))
        seen[one.topic] += 1
    return [one for _, one in sorted(ranked, key=lambda found: (found[0], found[1].seconds))]


def ranges(lines: Iterable[int]) -> str:
    """Return numbers as text such as `1-3,7`."""
    found: list[list[int]] = []
    for line in sorted(lines):
        if found and found[-1][1] == line - 1:
            found[-1][1] = line
        else:
            found.append([line, line])
    return ",".join(f"{a}-{b}" if b > a else f"{a}" for a, b in found)


def _numbers(text: str) -> frozenset[int]:
    """Return the numbers that `ranges` has written."""
    ends = [part.partition("-") for part in text.split(",") if part]
    return frozenset(n for a, _, b in ends for n in range(int(a), int(b or a) + 1))
