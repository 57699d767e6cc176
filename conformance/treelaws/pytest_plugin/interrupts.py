"""Ctrl-C at the end of a run: it waits until the reports are written."""

from __future__ import annotations

import signal
import threading
from typing import Any

import pytest


class Interrupts:
    """Holds Ctrl-C back from the first one on, or from the end of the run on."""

    def __init__(self) -> None:
        self._held = self._pressed = False
        self._before: Any = None

    def hold(self) -> None:
        """Let Ctrl-C wait from now on."""
        # Only the main thread may set a handler, and only it is interrupted.
        if self._held or threading.current_thread() is not threading.main_thread():
            return
        # A process in the background may ignore Ctrl-C.
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            self._before = signal.signal(signal.SIGINT, self._wait)
            self._held = True

    def _wait(self, *_: object) -> None:
        self._pressed = True

    def release(self) -> bool:
        """Let Ctrl-C interrupt again; return whether one has been waiting."""
        if self._held:
            # `None` stands for a handler that was not set from Python.
            signal.signal(signal.SIGINT, self._before or signal.SIG_DFL)
            self._held = False
        return self._pressed

    def leave(self, told: str) -> None:
        """Let a further Ctrl-C end a run at once that the first one has stopped.

        Args:
            told: one line for the user.
        """

        def leave(*_: object) -> None:
            raise pytest.exit.Exception(told, returncode=pytest.ExitCode.INTERRUPTED)

        self._pressed = False
        if self._held:
            signal.signal(signal.SIGINT, leave)
