"""Tells Ctrl-C from a KeyboardInterrupt that the code under test raises itself."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

_delivered = _unknown = False


def may_have_come() -> bool:
    """Return whether Ctrl-C was pressed since the last `Watch.start`, or that is unknown."""
    return _delivered or _unknown


class Watch:
    """Notes the signal of Ctrl-C, whose handler runs as before."""

    def start(self) -> None:
        """Put a note in front of the handler of the signal."""
        global _delivered, _unknown
        self._before: Any = signal.getsignal(signal.SIGINT)
        # Python delivers signals to the main thread alone.
        main = threading.current_thread() is threading.main_thread()
        self._on = main and callable(self._before)
        # The handler is one of C code.
        _delivered, _unknown = False, main and self._before is None
        if self._on:
            signal.signal(signal.SIGINT, self._note)

    def stop(self, raised: type[BaseException] | None) -> None:
        """Give the handler back.

        Args:
            raised: type of the error that ends the code; `None` if it ends without.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed, and the code has caught the error.
        """
        if self._on:
            signal.signal(signal.SIGINT, self._before)
        if _delivered and raised is not KeyboardInterrupt:
            raise KeyboardInterrupt

    def _note(self, number: int, frame: FrameType | None) -> None:
        global _delivered
        try:
            self._before(number, frame)
        except KeyboardInterrupt:
            _delivered = True
            raise
