"""What a child process does: it answers jobs, and says where it was when it ended.

`faulthandler` writes the stack on a crash and, from a thread of its own, when code does not end
that no signal handler can stop.
"""

from __future__ import annotations

import faulthandler
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import Any

from treelaws.core.limits import time_limit
from treelaws.core.mismatch import first_line

from .stacks import WITHIN

# Beyond a time limit, a child ends itself after that limit again, and after at least this many
# seconds: the timer has not stopped the code, which may have waited for a processor.
_GRACE = 1.0
# Seconds between two looks at the main thread of a child.
_POLL = 0.02
Send = Callable[[Any], None]


def serve(
    pipe: Connection, stack: str, environment: Mapping[str, str], work: Callable[[Send, Any], Any]
) -> None:
    """In the child: answer jobs until the parent ends."""
    time_limit.forget()
    os.environ.clear()
    os.environ.update(environment)
    # A crash prints, and standard output may belong to pytest-xdist.
    for number in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), number)
    # The parent stops for Ctrl-C, and ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with open(stack, "w", encoding="utf-8") as file:
        over = _Over()
        leave = _tell_where_it_ends(file)
        threading.Thread(target=_end, args=(over, pipe, leave), daemon=True).start()
        try:
            while True:
                pipe.send(_answer(work, pipe))
        except EOFError:
            leave(0)
        except BaseException as raised:
            # JAX may not give its stack back, after which no call works in this thread. A copy of
            # a process must not go on with what its parent does.
            over.error = raised
            while True:
                pass


class _Over:
    """Says that the main thread of a child cannot go on."""

    error: BaseException | None = None


def _end(over: _Over, pipe: Connection, leave: Callable[[int], None]) -> None:
    """In a thread of the child: send the error of the main thread, and end the process."""
    while over.error is None:
        time.sleep(_POLL)
    try:
        pipe.send(("error", f"{type(over.error).__name__}: {first_line(over.error)}"))
    finally:
        leave(1)


def _answer(work: Callable[[Send, Any], Any], pipe: Connection) -> tuple[str, Any]:
    job = pipe.recv()
    try:
        return "answer", work(lambda sent: pipe.send(("note", sent)), job)
    except BaseException as raised:
        return "error", f"{type(raised).__name__}: {first_line(raised)}"
    finally:
        faulthandler.cancel_dump_traceback_later()


def _tell_where_it_ends(file: Any) -> Callable[[int], None]:
    """Let the stack be written when this process crashes, exits or exceeds a time limit.

    Returns:
        The function that ends the process at once.
    """
    faulthandler.enable(file)
    leave = os._exit

    def exits(status: int) -> None:
        try:
            faulthandler.dump_traceback(file)
        finally:
            leave(status)

    def expects(seconds: float, limit: float) -> None:
        if seconds == math.inf:
            faulthandler.cancel_dump_traceback_later()
            return
        file.write(f"{WITHIN}{limit:g}\n")
        file.flush()
        ends = max(seconds, 0) + max(limit, _GRACE)
        faulthandler.dump_traceback_later(ends, file=file, exit=True)

    os._exit = exits  # pyright: ignore[reportAttributeAccessIssue]
    time_limit.alarm = expects
    return leave
