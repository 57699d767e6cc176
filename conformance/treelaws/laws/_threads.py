"""Calls that threads make at the same time, and the same calls one after the other."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from treelaws.equality import same

Work = Callable[[], Any]
# Seconds after which another thread may go on; the default, 5 ms, is longer than most calls.
_INTERVAL = 1e-6
# For threads that share a compiled function and give it nodes whose aux data compare in Python: JAX
# may end the process if another thread goes on meanwhile, which `jax.threads` asks for itself.
LONG_INTERVAL = 0.005
# Far longer than calls take on a busy machine: a thread that has not ended by then is deadlocked.
_SECONDS = 300


class Outcome(NamedTuple):
    """How a call ended.

    Args:
        value: what it returned.
        error: what it raised; default `None`.
    """

    value: Any
    error: BaseException | None = None


def outcome(work: Work) -> Outcome:
    """Make a call."""
    try:
        return Outcome(work())
    except Exception as raised:
        return Outcome(None, raised)


def at_once(works: Sequence[Work], *, interval: float = _INTERVAL) -> list[Outcome]:
    """Make each call in a thread of its own; the threads start together.

    A call that has not ended after five minutes counts as one that raised RuntimeError.

    Args:
        works: the calls.
        interval: seconds after which another thread may go on; default a microsecond.
    """
    start = threading.Barrier(len(works))
    ends = [Outcome(None, RuntimeError("the thread has not ended"))] * len(works)

    def run(place: int, work: Work) -> None:
        try:
            start.wait()
            ends[place] = outcome(work)
        except BaseException as raised:
            ends[place] = Outcome(None, raised)

    # Daemons, so that a deadlock in the code under test does not keep the process.
    threads = [threading.Thread(target=run, args=one, daemon=True) for one in enumerate(works)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(interval)
    try:
        for thread in threads:
            thread.start()
        last = time.monotonic() + _SECONDS
        for thread in threads:
            thread.join(max(0.0, last - time.monotonic()))
    finally:
        # If a thread could not start, those that wait for it end.
        start.abort()
        sys.setswitchinterval(before)
    return list(ends)


def results(works: Sequence[Work]) -> list[Any]:
    """Return the results of calls that threads make at the same time, or raise the first error.

    Args:
        works: the calls.
    """
    ends = at_once(works)
    for end in ends:
        if end.error is not None:
            raise end.error
    return [end.value for end in ends]


def same_as_alone(
    works: Sequence[Work], *alone: Sequence[Work], rounds: int = 1, interval: float = _INTERVAL
) -> None:
    """Raise unless calls of threads at the same time end as equal calls do by themselves.

    An error that a call also raises by itself is no breach.

    Args:
        works: the calls of threads.
        alone: equal calls, which are made before; what counts is how the last ones end, since a
            second call may end in another way than the first, also in one thread.
        rounds: how often the threads make the calls; default once.
        interval: seconds after which another thread may go on; default a microsecond.

    Raises:
        Mismatch: a result differs; an error that only the thread met is raised as it is.
    """
    wanted = [[outcome(work) for work in calls] for calls in alone][-1]
    for _ in range(rounds):
        for got, one in zip(at_once(works, interval=interval), wanted, strict=True):
            if got.error is not None and one.error is None:
                raise got.error
            same(_told(got), _told(one))


def _told(end: Outcome) -> Any:
    return end.value if end.error is None else f"raised {type(end.error).__name__}"
