"""Stops code that does not end, such as a user's `__getitem__` without an IndexError.

A timer interrupts the main thread, so code is stopped between two steps of Python. Three things are
not stopped: code outside of the main thread, code on Windows, which has no such timer, and one call
into C that never returns to Python, such as `sum(itertools.count())`. The last one ends the child
process that it runs in, see `children.processes`.
"""

from __future__ import annotations

import contextlib
import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

from . import interrupts, settings

if sys.platform != "win32":
    import resource
if TYPE_CHECKING:
    from .failure import DidNotEnd

# The memory that one case may take, in bytes; cases of laws hold a few small arrays.
MEMORY = 4 * 2**30
# Seconds between two looks at the clock. An endless list grows by about 1 GB in a second.
_TICK = 0.5
# Packages whose errors, apart from each `Exception`, end a case, a search or a run.
_TOOLS = frozenset({"treelaws", "_pytest"})
# Packages whose frames are not those of a user's class.
OURS = frozenset({"treelaws", "hypothesis_pytrees", "hypothesis", "jax", "jaxlib", "pytest"})
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
        seconds: time limit; default `settings.case_seconds`; above 0, or infinite.
        raises: returns the error to raise, from one line that says what happened and where;
            default `Expired`.
    """

    def __init__(
        self, seconds: float | None = None, raises: Callable[[str], BaseException] = Expired
    ) -> None:
        self.seconds = settings.case_seconds if seconds is None else seconds
        self._raises = raises

    def __enter__(self) -> None:
        self._depth = len(_open)
        self.until = time.monotonic() + self.seconds
        self._memory = math.inf
        _open.append(self)
        _announce()
        if self._depth == 0:
            self._interrupts = interrupts.Watch()
            self._interrupts.start()
            self._before = _start(min(_TICK, max(self.seconds / 4, 1e-3)))

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
            _stop(self._before)
            self._interrupts.stop(kind)

    def look(self, frame: FrameType | None) -> None:
        """Raise the error if a limit has passed while a frame ran."""
        # The time of a call or of a run says nothing about memory.
        most = _most_memory() if self._raises is Expired else 0.0
        if self._memory == math.inf:
            # Asked at the first look, since most blocks end before it and asking takes long.
            self._memory = most + MEMORY
        if time.monotonic() >= self.until:
            told = f"did not end within {self.seconds:g} s at {place_of(frame)}"
        elif most > self._memory:
            told = f"took more than {MEMORY / 2**30:g} GiB of memory at {place_of(frame)}"
        else:
            return
        raise self._raises(told)


_open: list[limited] = []


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


class _Before:
    """The use of the timer by others, such as pytest-timeout, when ours starts."""

    def __init__(self) -> None:
        self.handler = signal.getsignal(signal.SIGALRM)
        self.seconds, self.interval = signal.getitimer(signal.ITIMER_REAL)
        self.since = time.monotonic()

    @property
    def left(self) -> float:
        """Seconds until their timer rings; negative once it should have."""
        return self.seconds - (time.monotonic() - self.since)


def stops_code() -> bool:
    """Return whether a limit stops code here: on this system, and in this thread."""
    main = threading.current_thread() is threading.main_thread()
    return main and hasattr(signal, "setitimer")


def _start(tick: float) -> _Before | None:
    if not stops_code():
        return None
    before = _Before()

    def ring(number: int, frame: FrameType | None) -> None:
        if before.seconds and before.left <= 0:
            seconds, before.seconds = before.seconds, 0.0
            if callable(before.handler) and seconds:
                before.handler(number, frame)
        if not _reports_a_finalizer(frame):
            for one in tuple(_open):
                one.look(frame)

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, tick, tick)
    return before


def _reports_a_finalizer(frame: FrameType | None) -> bool:
    """Return whether the hook for errors in finalizers runs, in which an error would be lost."""
    hook: Any = sys.unraisablehook
    code = getattr(getattr(hook, "func", hook), "__code__", None)
    while code is not None and frame is not None:
        if frame.f_code is code:
            return True
        frame = frame.f_back
    return False


def _stop(before: _Before | None) -> None:
    if before is None:
        return
    signal.setitimer(signal.ITIMER_REAL, 0)
    # A handler that was set by C code reads as None, and cannot be set again.
    signal.signal(signal.SIGALRM, before.handler or signal.SIG_DFL)
    if before.seconds:
        signal.setitimer(signal.ITIMER_REAL, max(before.left, 1e-3), before.interval)


def _most_memory() -> float:
    """Return the most memory that this process has had so far, in bytes; 0 if unknown."""
    if sys.platform == "win32":
        return 0.0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(most if sys.platform == "darwin" else most * 1024)


def place_of(frame: FrameType | None) -> str:
    """Return file, line and function of the user's code that runs, or of ours if none does.

    Args:
        frame: the frame that runs.
    """
    found = frame
    for one in _outwards(frame):
        found = one
        # Frames around that of a law are those of a test runner.
        if _is_users(one) or _package(one) == "treelaws":
            break
    if found is None:
        return "unknown code"
    code = found.f_code
    return f"{Path(code.co_filename).name}:{found.f_lineno} in {code.co_name}"


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _is_users(frame: FrameType) -> bool:
    # The classes of recipes are those of an input.
    if str(frame.f_globals.get("__name__", "")).startswith("hypothesis_pytrees.generated"):
        return True
    top = _package(frame)
    return top not in OURS and (top == "__main__" or top not in sys.stdlib_module_names)


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
