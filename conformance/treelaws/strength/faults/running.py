"""Try the laws in child processes."""

from __future__ import annotations

import multiprocessing
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent import futures
from concurrent.futures.process import BrokenProcessPool
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
    laws: Iterable[Law],
    before: Sequence[Cell],
    *,
    cases: int,
    enough: int | None,
    workers: int,
    work: Callable[[str, int, frozenset[tuple[str, str]]], list[Cell]] | None = None,
) -> Iterator[tuple[str, list[Cell]]]:
    """Try laws, and yield the id and the cells of each when it is done.

    A fault may end the process that tries it. The laws that ran then are tried again, each alone;
    one whose process ends again is left out, and standard error says so.

    Args:
        laws: the laws, in the order in which they are begun.
        before: cells of laws that were tried before; what they settle is skipped.
        cases: number of inputs of a law, at least 1.
        enough: number of laws that settle a fault of a function, which is then skipped; `None` to
            skip none.
        workers: number of processes, at least 1.
        work: what tries a law: given its id, `cases` and what is settled; default `_cells`.
    """
    noticing = Counter(_noticed(before))
    left, lost = deque(law.id for law in laws), deque[str]()

    def begin(pool: futures.Executor, law: str) -> futures.Future[list[Cell]]:
        settled = frozenset(key for key, laws in noticing.items() if enough and laws >= enough)
        return pool.submit(work or _cells, law, cases, settled)

    while left or lost:
        alone = None if left else lost.popleft()
        running: dict[futures.Future[list[Cell]], str] = {}
        chosen, count = (left, workers) if alone is None else (deque([alone]), 1)
        try:
            for law, found in _pooled(chosen, running, begin, count):
                noticing.update(_noticed(found))
                yield law, found
        except BrokenProcessPool:
            if alone is None:
                lost.extend(running.values())
            else:
                _leave_out(alone, "its process ended twice")


def _pooled(
    left: deque[str],
    running: dict[futures.Future[list[Cell]], str],
    begin: Callable[[futures.Executor, str], futures.Future[list[Cell]]],
    workers: int,
) -> Iterator[tuple[str, list[Cell]]]:
    """Take laws from `left` until it is empty; `running` has those that are under way."""
    spawn = multiprocessing.get_context("spawn")
    with futures.ProcessPoolExecutor(workers, spawn, **_TASKS) as pool:
        while left or running:
            while left and len(running) < workers:
                running[begin(pool, left[0])] = left[0]
                left.popleft()
            for done in futures.wait(running, return_when=futures.FIRST_COMPLETED).done:
                try:
                    found = done.result()
                except RecursionError:
                    _leave_out(running.pop(done), "JAX has used up the recursion limit")
                    continue
                yield running.pop(done), found


def _leave_out(law: str, reason: str) -> None:
    print(f"{law} is left out: {reason}", file=sys.stderr)


def _cells(law: str, cases: int, settled: frozenset[tuple[str, str]]) -> list[Cell]:
    found = law_named(law)
    subject = subject_for(found)
    if subject is None:
        return []
    return list(cells(found, subject, cases, lambda *place: place not in settled))


def _noticed(found: Iterable[Cell]) -> Iterator[tuple[str, str]]:
    return ((one.function, one.fault) for one in found if one.outcome == NOTICED)
