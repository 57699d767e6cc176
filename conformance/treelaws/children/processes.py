"""Runs a function in a child process, which the code under test may end or block."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sys
import tempfile
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .serving import Send, serve
from .stacks import how_it_ended

# Seconds that a child may take to exit after it has closed its end of the pipe.
_EXIT = 5.0


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
        self._process = context.Process(target=serve, args=job, daemon=True)
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
            raise ChildEnded(how_it_ended(self._process.exitcode, self._stack), last) from None

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
