"""Try the laws in child processes."""

from __future__ import annotations

import multiprocessing
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent import futures
from typing import Any

from treelaws.core.law import Law
from treelaws.core.subject import Subject
from treelaws.laws import law_named
from treelaws.subjects.registry import subjects

from .matrix import NOTICED, Cell, cells

# JAX loses some levels of recursion with each tree that it rejects, and faults make it reject many.
# Python 3.10 cannot limit the tasks.
_TASKS: dict[str, Any] = {"max_tasks_per_child": 20} if sys.version_info >= (3, 11) else {}


def subject_for(law: Law) -> Subject | None:
    """Return the first subject of the suite that has what a law needs; `None` if none has."""
    fit = (
        one
        for one in subjects(law.topic.family)
        if one.shipped and not one.absent and not one.missing(law.needs)
    )
    return next(fit, None)


def tried(
    laws: Iterable[Law], before: Sequence[Cell], *, cases: int, enough: int | None, workers: int
) -> Iterator[tuple[str, list[Cell]]]:
    """Try laws, and yield the id and the cells of each when it is done.

    Args:
        laws: the laws, in the order in which they are begun.
        before: cells of laws that were tried before; what they settle is skipped.
        cases: number of inputs of a law, at least 1.
        enough: number of laws that settle a fault of a function, which is then skipped; `None` to
            skip none.
        workers: number of processes, at least 1.
    """
    noticing = Counter(_noticed(before))
    left, running = iter(laws), {}
    spawn = multiprocessing.get_context("spawn")
    with futures.ProcessPoolExecutor(workers, spawn, **_TASKS) as pool:
        while True:
            while len(running) < workers and (law := next(left, None)) is not None:
                settled = [key for key, laws in noticing.items() if enough and laws >= enough]
                running[pool.submit(_cells, law.id, cases, frozenset(settled))] = law.id
            if not running:
                return
            for done in futures.wait(running, return_when=futures.FIRST_COMPLETED).done:
                law = running.pop(done)
                try:
                    found = done.result()
                except RecursionError:
                    print(
                        f"{law} is left out: JAX has used up the recursion limit", file=sys.stderr
                    )
                    continue
                noticing.update(_noticed(found))
                yield law, found


def _cells(law: str, cases: int, settled: frozenset[tuple[str, str]]) -> list[Cell]:
    found = law_named(law)
    subject = subject_for(found)
    if subject is None:
        return []
    return list(cells(found, subject, cases, lambda *place: place not in settled))


def _noticed(found: Iterable[Cell]) -> Iterator[tuple[str, str]]:
    return ((one.function, one.fault) for one in found if one.outcome == NOTICED)
