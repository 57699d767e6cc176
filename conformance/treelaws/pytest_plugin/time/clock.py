"""The clock of a run: it stops a law that is running when the time is up."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator

import pytest

from treelaws.core.limits import time_limit


class CutShort(pytest.skip.Exception):
    """The time was up in the middle of a law's test; Hypothesis lets what skips a test pass."""


# In seconds since the epoch, so that processes of one machine can share it; `None`: no limit.
_deadline: float | None = None
# The reason that tests give which did not run.
reason = ""


def seconds(text: str) -> float:
    """Read a number of seconds.

    Raises:
        ValueError: the text is not a number above 0.
    """
    return time_limit.seconds_from(text)


def start(deadline: float, told: str) -> None:
    """Set the clock.

    Args:
        deadline: when the time is up, in seconds since the epoch.
        told: the budget as the user wrote it.
    """
    global _deadline, reason
    _deadline, reason = deadline, f"--max-time {told} was spent"


def runs() -> bool:
    """Return whether the run has a time limit."""
    return _deadline is not None


def left() -> float:
    """Return the seconds that are left; negative once the time is up."""
    return math.inf if _deadline is None else _deadline - time.time()


class Examples:
    """The examples of one test: none starts after the time is up, unless one has failed.

    A failure is still shrunk and reported, however long that takes.
    """

    def __init__(self) -> None:
        self._failed = False

    @contextlib.contextmanager
    def one(self, passes: type[Exception]) -> Iterator[None]:
        """Guard one example.

        Args:
            passes: exceptions that do not count as failures.

        Raises:
            CutShort: the time is up.
        """
        if left() <= 0 and not self._failed:
            raise CutShort(reason)
        # A case that does not end would use up the time of all others.
        seconds = math.inf if self._failed else left()
        try:
            with time_limit.limited(seconds, lambda _: CutShort(reason)):
                yield
        except passes:
            raise
        except Exception:
            self._failed = True
            raise
