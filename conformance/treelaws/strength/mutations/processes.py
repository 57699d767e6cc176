"""Runs jobs in forked processes, several at once, and ends those that do not answer."""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Generator, Hashable, Iterable
from multiprocessing import connection, get_context
from typing import Any, NamedTuple

# Seconds until the first message.
_FIRST = 300.0
_TICK = 0.5


class Task(NamedTuple):
    """A job and its arguments.

    Args:
        key: names the task in the answers.
        job: takes `send` and the arguments; `send(content, seconds)` sends a message, and says
            within which time the next one comes.
        arguments: the arguments.
    """

    key: Hashable
    job: Callable[..., None]
    arguments: tuple[Any, ...]


class Ended(NamedTuple):
    """The last message of each task.

    Args:
        how: `"done"`; `"time"` if it did not answer in time; `"crash"` if the process died;
            `"error"` if the job raised.
        detail: one line; of an error the traceback.
    """

    how: str
    detail: str = ""


def can_fork() -> bool:
    """Return whether this system has the processes that the jobs need."""
    return hasattr(os, "fork")


def run_all(tasks: Iterable[Task], workers: int) -> Generator[tuple[Any, Any], None, None]:
    """Run tasks, and yield the messages of each with its key; the last one is an `Ended`.

    Args:
        tasks: what to run.
        workers: how many processes run at once.
    """
    waiting, running = iter(tasks), dict[Any, _Child]()
    try:
        while True:
            while len(running) < workers and (task := next(waiting, None)) is not None:
                child = _Child(task)
                running[child.reader] = child
            if not running:
                return
            for reader in connection.wait(list(running), timeout=_TICK):
                child = running[reader]
                message = child.message()
                if isinstance(message, Ended):
                    del running[reader]
                yield child.task.key, message
            for reader, child in list(running.items()):
                if time.monotonic() > child.until:
                    del running[reader]
                    child.kill()
                    yield child.task.key, Ended("time", f"no answer for {child.seconds:.0f} s")
    finally:
        for child in running.values():
            child.kill()


class _Child:
    """A process that runs a task."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.reader, writer = connection.Pipe(duplex=False)
        context = get_context("fork")
        self._process = context.Process(target=_run, args=(writer, task), daemon=True)
        with warnings.catch_warnings():
            # NumPy and JAX have threads, which a child does not need.
            warnings.simplefilter("ignore")
            self._process.start()
        writer.close()
        self._expect(_FIRST)

    def _expect(self, seconds: float) -> None:
        self.seconds = seconds
        self.until = time.monotonic() + seconds

    def message(self) -> Any:
        """Return the next message, which has arrived."""
        try:
            content, seconds = self.reader.recv()
        except EOFError:
            return self._ended()
        if isinstance(content, Ended):
            self._ended()
        self._expect(seconds)
        return content

    def _ended(self) -> Ended:
        self._process.join()
        self.reader.close()
        code = self._process.exitcode or 0
        if code == 0:
            return Ended("done")
        told = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return Ended("crash", told)

    def kill(self) -> None:
        """End the process and those that it has started."""
        try:
            os.killpg(self._process.pid or 0, signal.SIGKILL)
        except ProcessLookupError:
            # It has no group of its own yet, or has just ended.
            self._process.kill()
        self._process.join()
        self.reader.close()


def _run(writer: Any, task: Task) -> None:
    os.setsid()
    silent = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(silent, number)
    warnings.simplefilter("ignore")

    def send(content: Any, seconds: float = _FIRST) -> None:
        writer.send((content, seconds))

    try:
        task.job(send, *task.arguments)
    except BaseException:
        send(Ended("error", traceback.format_exc()))
    sys.stdout.flush()
    writer.close()
    # Python would take a second to clear the libraries away.
    os._exit(0)
