"""The clock of a run: when its time is up, and how a law stops that is being tried then."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator

import pytest


class CutShort(pytest.skip.Exception):
    """The time was up in the middle of a law's test; Hypothesis lets what skips a test pass."""


# Seconds since the epoch, which the processes of one machine share; `None` for no limit.
_deadline: float | None = None
# What is told of tests that did not run.
reason = ""


def seconds(text: str) -> float:
    """Read a number of seconds.

    Raises:
        ValueError: it is none, or not above 0.
    """
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 < found < math.inf:
        raise ValueError(f"{text!r} is no number of seconds above 0; give for example 60")
    return found


def start(deadline: float, told: str) -> None:
    """Set the clock.

    Args:
        deadline: when the time is up, in seconds since the epoch.
        told: the budget as the user wrote it.
    """
    global _deadline, reason
    _deadline, reason = deadline, f"--max-time {told} was spent"


def runs() -> bool:
    """Say whether there is a limit."""
    return _deadline is not None


def left() -> float:
    """Give the seconds that are left; below 0 where the time is up."""
    return math.inf if _deadline is None else _deadline - time.time()


class Examples:
    """The examples of one test: none is begun when the time is up, unless one has failed.

    What has failed is made small and reported, whatever time that takes.
    """

    def __init__(self) -> None:
        self._failed = False

    @contextlib.contextmanager
    def one(self, passes: type[Exception]) -> Iterator[None]:
        """Surround an example.

        Args:
            passes: the exceptions that are no failures.

        Raises:
            CutShort: the time is up.
        """
        if left() <= 0 and not self._failed:
            raise CutShort(reason)
        try:
            yield
        except passes:
            raise
        except Exception:
            self._failed = True
            raise
