"""Stops code that does not end, such as a user's `__getitem__` without an IndexError.

A timer interrupts the main thread, so code is stopped between two steps of Python. Three things are
not stopped: code outside of the main thread, code on Windows, which has no such timer, and one call
into C that never returns to Python, such as `sum(itertools.count())`. The last one ends the child
process that it runs in, see `children.processes`.

The time in which code waits for a processor does not count, since the code has no part in it.
"""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import TYPE_CHECKING

from treelaws.core import settings

from . import interrupts, processor, timer
from .places import place_of

if sys.platform != "win32":
    import resource
if TYPE_CHECKING:
    from treelaws.core.failure import DidNotEnd

# The memory that one case may take, in bytes; cases of laws hold a few small arrays.
MEMORY = 4 * 2**30
# Seconds between two looks at the clock. An endless list grows by about 1 GB in a second.
_TICK = 0.5
# Code that waits for a processor is stopped after this many times its limit by the clock.
_LONGEST = 20
# Packages whose errors, apart from each `Exception`, end a case, a search or a run.
_TOOLS = frozenset({"treelaws", "_pytest"})
# In a child process: takes the seconds until the first limit passes, and that limit.
alarm: Callable[[float, float], None] | None = None


class Expired(BaseException):
    """Code did not end; not an `Exception`, so that user code and Hypothesis let it pass.

    Args:
        told: what happened and where, in one line.
    """

    breach: DidNotEnd | None = None

    def with_breach(self, breach: DidNotEnd) -> Expired:
        """Add the breach that says which case did not end."""
        self.breach = breach
        return self


class TimeUp(BaseException):
    """The time of a whole call was spent."""


def ends_the_run(raised: BaseException) -> bool:
    """Return whether an error is one of the tools that run a law, not of the code under test.

    Args:
        raised: an error that was raised while a law ran; user code may raise any.
    """
    if isinstance(raised, KeyboardInterrupt):
        # A class may raise one, too.
        return interrupts.may_have_come()
    tops = {base.__module__.partition(".")[0] for base in type(raised).__mro__}
    if "hypothesis" in tops:
        return True
    return bool(tops & _TOOLS) and not isinstance(raised, Exception)


@contextlib.contextmanager
def errors_ignored() -> Iterator[None]:
    """Ignore an error of the code under test inside a `with` block."""
    try:
        yield
    except BaseException as raised:
        if ends_the_run(raised):
            raise


class limited:
    """Stop the body of a `with` block that takes too long, or, for `Expired`, too much memory.

    Limits nest; of several, the outermost that has passed stops the code.

    Args:
        seconds: time limit; default `settings.case_seconds`; above 0, or infinite. For `Expired`,
            the time in which a thread waits for a processor does not count.
        raises: returns the error to raise, from one line that says what happened and where;
            default `Expired`.
    """

    def __init__(
        self, seconds: float | None = None, raises: Callable[[str], BaseException] = Expired
    ) -> None:
        self.seconds = settings.case_seconds if seconds is None else seconds
        self._raises = raises
        # The time of a call or of a run is time by the clock, and says nothing about memory.
        self._counts = raises is Expired

    def __enter__(self) -> None:
        self._depth = len(_open)
        self.until = time.monotonic() + self.seconds
        self._memory = math.inf
        # Time that has been added because code waited for a processor.
        self._waited = 0.0
        self._own_wait = processor.own_wait() if self._counts else 0.0
        _open.append(self)
        _announce()
        if self._depth == 0:
            self._interrupts = interrupts.Watch()
            self._interrupts.start()
            self._before = timer.start(min(_TICK, max(self.seconds / 4, 1e-3)), _look)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Inner limits are gone, too, even if the timer interrupted their own exit.
        del _open[self._depth :]
        _announce()
        if self._depth == 0:
            timer.stop(self._before)
            self._interrupts.stop(kind)

    def look(self, frame: FrameType | None) -> None:
        """Raise the error if a limit has passed while a frame ran."""
        most = _most_memory() if self._counts else 0.0
        if self._counts and self._memory == math.inf:
            # Asked at the first look, since most blocks end before it and asking takes long.
            self._memory, self._waits = most + MEMORY, processor.waits()
        if self._counts and time.monotonic() >= self.until:
            self._wait_longer()
        if time.monotonic() >= self.until:
            told = f"did not end within {self.seconds:g} s at {place_of(frame)}"
        elif most > self._memory:
            told = f"took more than {MEMORY / 2**30:g} GiB of memory at {place_of(frame)}"
        else:
            return
        raise self._raises(told)

    def _wait_longer(self) -> None:
        """Move the end of the limit by the time in which code has waited for a processor."""
        own = processor.own_wait() - self._own_wait
        waited = max(own, processor.longest_wait(self._waits))
        waited = min(waited, (_LONGEST - 1) * self.seconds)
        self.until += waited - self._waited
        self._waited = waited
        _announce()


_open: list[limited] = []


def _look(frame: FrameType | None) -> None:
    for one in tuple(_open):
        one.look(frame)


def _announce() -> None:
    """Say when the first limit passes, in a process that can be ended then."""
    if alarm is not None:
        until, seconds = min(((one.until, one.seconds) for one in _open), default=(math.inf, 0.0))
        alarm(until - time.monotonic(), seconds)


def forget() -> None:
    """Forget the limits of the process that this one was copied from, which has its timer."""
    _open.clear()


@contextlib.contextmanager
def not_counted() -> Iterator[None]:
    """Wait inside a `with` block for a child process, which has limits of its own."""
    waiting, begun = [(one, one.until) for one in _open], time.monotonic()
    for one, _ in waiting:
        one.until = math.inf
    try:
        yield
    finally:
        for one, until in waiting:
            one.until = until + time.monotonic() - begun


def _most_memory() -> float:
    """Return the most memory that this process has had so far, in bytes; 0 if unknown."""
    if sys.platform == "win32":
        return 0.0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(most if sys.platform == "darwin" else most * 1024)


@contextlib.contextmanager
def case_seconds(seconds: float) -> Iterator[None]:
    """Set the time limit of a case inside a `with` block.

    Args:
        seconds: the limit, above 0.
    """
    before, settings.case_seconds = settings.case_seconds, seconds
    try:
        yield
    finally:
        settings.case_seconds = before


def seconds_from(text: str | float) -> float:
    """Read a number of seconds.

    Raises:
        ValueError: it is not a number above 0.
    """
    try:
        found = float(text)
    except (TypeError, ValueError):
        found = 0.0
    if not 0 < found < math.inf:
        raise ValueError(f"{text!r} is not a number of seconds above 0; write for example 60")
    return found
