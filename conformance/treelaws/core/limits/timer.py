"""The timer of Unix, which interrupts the main thread, and which others may use, too."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any


class Before:
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


def start(tick: float, look: Callable[[FrameType | None], None]) -> Before | None:
    """Call a function again and again, between two steps of Python.

    Args:
        tick: seconds between two calls.
        look: takes the frame that runs; may raise an error, which stops the code.

    Returns:
        The use of the timer before, for `stop`; `None` where no timer runs.
    """
    if not stops_code():
        return None
    before, looking = Before(), False

    def ring(number: int, frame: FrameType | None) -> None:
        nonlocal looking
        if before.seconds and before.left <= 0:
            seconds, before.seconds = before.seconds, 0.0
            if callable(before.handler) and seconds:
                before.handler(number, frame)
        # On a busy machine, a look may take longer than a tick.
        if looking or _reports_a_finalizer(frame):
            return
        looking = True
        try:
            look(frame)
        finally:
            looking = False

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


def stop(before: Before | None) -> None:
    """Give the timer back to others."""
    if before is None:
        return
    signal.setitimer(signal.ITIMER_REAL, 0)
    # A handler that was set by C code reads as None, and cannot be set again.
    signal.signal(signal.SIGALRM, before.handler or signal.SIG_DFL)
    if before.seconds:
        signal.setitimer(signal.ITIMER_REAL, max(before.left, 1e-3), before.interval)
