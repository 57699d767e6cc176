"""Runs a function in a child process, which the code under test may end or block.

The child says where it was when it ended: `faulthandler` writes the stack on a crash and, from a
thread of its own, when code does not end that no signal handler can stop.
"""

from __future__ import annotations

import contextlib
import faulthandler
import math
import multiprocessing
import os
import signal
import sys
import sysconfig
import tempfile
import threading
import time
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from treelaws.core import time_limit
from treelaws.core.mismatch import first_line

# Seconds beyond a time limit after which a child ends itself: the timer has not stopped the code.
_GRACE = 1.0
# Seconds that a child may take to exit after it has closed its end of the pipe.
_EXIT = 5.0
# Seconds between two looks at the main thread of a child.
_POLL = 0.02
# Marks in the file with the stack.
_WITHIN, _TIMEOUT, _CURRENT = "limit ", "Timeout (", "Current thread "
Send = Callable[[Any], None]


class ChildEnded(Exception):
    """A child process ended before its function did.

    Args:
        told: how and where, such as `"ended the process with exit code 3 at box.py:7 in flatten"`.
        last: the last object that the function has sent; `None` without one.
    """

    def __init__(self, told: str, last: Any) -> None:
        super().__init__(told)
        self.told, self.last = told, last


def are_possible() -> bool:
    """Return whether this process can have child processes that start as copies of another."""
    # Of `multiprocessing`, a daemon has no children.
    return hasattr(os, "fork") and not multiprocessing.current_process().daemon


def copied(work: Callable[[Send], Any]) -> Any:
    """Run a function in a copy of this process, and return its result.

    JAX computes nothing in such a copy, because the threads that it computes with are missing.

    Args:
        work: takes a function that sends an object to this process.

    Raises:
        ChildEnded: the process ended first.
        RuntimeError: the function raised an error.
    """
    with warnings.catch_warnings():
        # JAX and Python warn about copies of a process with threads.
        warnings.simplefilter("ignore")
        child = _Child(multiprocessing.get_context("fork"), lambda send, _: work(send))
    try:
        return child.answer(None)
    finally:
        child.end()


class Worker:
    """A process without any state of this one, which answers one job after the other.

    All workers are copies of one process that has imported a module and computed nothing. After a
    job has ended a worker, the next job gets a new one.

    Args:
        work: takes a function that sends an object to this process, and a job; like the jobs, it
            is pickled.
        preload: the module to import.
    """

    def __init__(self, work: Callable[[Send, Any], Any], preload: str) -> None:
        self._work, self._preload = work, preload
        self._child: _Child | None = None

    def ask(self, job: Any) -> Any:
        """Return the answer to a job.

        Raises:
            ChildEnded: the process ended first.
            RuntimeError: the function raised an error.
        """
        if self._child is None:
            context = multiprocessing.get_context("forkserver")
            context.set_forkserver_preload([self._preload])
            with _without_script():
                self._child = _Child(context, self._work)
        try:
            return self._child.answer(job)
        except BaseException:
            # It has ended, or cannot go on, or the time for its answer is up.
            self.close()
            raise

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.end()
            self._child = None


class _Child:
    """A child process that runs a function for each job."""

    def __init__(self, context: Any, work: Callable[[Send, Any], Any]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="treelaws-")
        self._stack = Path(self._folder.name, "stack")
        self._pipe, theirs = context.Pipe()
        job = (theirs, str(self._stack), dict(os.environ), work)
        self._process = context.Process(target=_serve, args=job, daemon=True)
        self._process.start()
        theirs.close()

    def answer(self, job: Any) -> Any:
        """Send a job and wait for the answer."""
        last = None
        try:
            self._pipe.send(job)
            while True:
                kind, value = self._pipe.recv()
                if kind == "answer":
                    return value
                if kind == "error" and value.startswith(RecursionError.__name__):
                    # JAX may not give its stack back, after which each deep call fails.
                    raise ChildEnded(f"used up the stack of the process ({value})", last)
                if kind == "error":
                    raise RuntimeError(value)
                last = value
        except (EOFError, ConnectionError):
            self._process.join(_EXIT)
            raise ChildEnded(_how(self._process.exitcode, self._stack), last) from None

    def end(self) -> None:
        """Kill the process, which may have threads that never end."""
        self._process.kill()
        self._process.join()
        self._pipe.close()
        self._folder.cleanup()


@contextlib.contextmanager
def _without_script() -> Iterator[None]:
    """Let a child not run the script of this process, which may have no guard for that."""
    main, paths = sys.modules["__main__"], os.environ.get("PYTHONPATH")
    sys.modules["__main__"] = types.ModuleType("__main__")
    # Before Python 3.13, the server that children are copied from does not get the paths.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    try:
        yield
    finally:
        sys.modules["__main__"] = main
        os.environ.pop("PYTHONPATH")
        if paths is not None:
            os.environ["PYTHONPATH"] = paths


def _how(code: int | None, stack: Path) -> str:
    """Return how and where a child ended."""
    text = stack.read_text(encoding="utf-8", errors="replace") if stack.exists() else ""
    place = next(_places(text), "")
    at = f" at {place}" if place else ""
    if _TIMEOUT in text:
        limit = text.partition(_TIMEOUT)[0].rpartition(_WITHIN)[2].split()[0]
        return f"did not end within {limit} s{at}"
    if code is None:
        return f"closed the files of the process{at}"
    if code < 0:
        return f"crashed the process with {signal.Signals(-code).name}{at}"
    return f"ended the process with exit code {code}{at}"


def _places(text: str) -> Iterator[str]:
    """Yield the places of the user's code on the stack of the main thread, innermost first."""
    stacks = [one for one in text.split("\n\n") if 'File "' in one]
    ours = [one for one in stacks if _CURRENT in one or _serve.__name__ in one] or stacks[-1:]
    for line in ours[-1].splitlines() if ours else ():
        _, found, rest = line.partition('File "')
        file, _, rest = rest.rpartition('", line ')
        if found and not _is_ours(file):
            yield f"{Path(file).name}:{rest}"


def _is_ours(file: str) -> bool:
    """Return whether a file belongs to Python, JAX or this suite."""
    folders = Path(file).parents
    names = {one.name for one in folders}
    if "site-packages" in names:
        return bool(names & time_limit.OURS)
    python = (Path(sysconfig.get_path("stdlib")), Path(__file__).parents[1])
    return bool({*python} & {*folders}) or "hypothesis_pytrees" in names or file[:7] == "<frozen"


def _serve(
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
        file.write(f"{_WITHIN}{limit:g}\n")
        file.flush()
        faulthandler.dump_traceback_later(max(seconds, 0) + _GRACE, file=file, exit=True)

    os._exit = exits  # pyright: ignore[reportAttributeAccessIssue]
    time_limit.alarm = expects
    return leave
