"""How long the threads of this process have waited for a processor, on Linux.

On a machine with more to do than it has processors, code that takes a second may take a minute by
the clock. That minute says nothing about the code.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

_TASKS = Path("/proc/self/task")
_OWN = Path("/proc/thread-self")


def own_wait() -> float:
    """Return the seconds that this thread has waited so far; 0 where the system does not say."""
    return _wait(_OWN)


def waits() -> dict[str, float]:
    """Return the seconds that each thread has waited so far, by the name of its folder."""
    try:
        return {task.name: _wait(task) for task in _TASKS.iterdir()}
    except OSError:
        return {}


def longest_wait(since: dict[str, float]) -> float:
    """Return the most seconds that one thread has waited since an earlier look.

    Args:
        since: the result of `waits` at that look.
    """
    # A number of a thread may have been given to a new one, which has waited less.
    passed = (now - since.get(task, 0.0) for task, now in waits().items())
    return max(passed, default=0.0)


def _wait(task: Path) -> float:
    # The thread may have ended, and other systems have no such file.
    with contextlib.suppress(OSError, IndexError, ValueError):
        # The time on a processor, the time of waiting for one, the number of turns.
        return int((task / "schedstat").read_bytes().split()[1]) / 1e9
    return 0.0
