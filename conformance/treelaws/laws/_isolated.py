"""Runs calls that may crash the interpreter in a copy of the process."""

from __future__ import annotations

import concurrent.futures
import faulthandler
import os
import signal
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

# Far longer than a call takes on a busy machine: a call that is stopped counts as a hang.
_SECONDS = 60


class Outcome(NamedTuple):
    """How a call ended.

    Args:
        answer: `"returned"`, the name of the exception's type, or `"killed by "` and a signal.
        usable: whether the interpreter can still recurse afterwards.
    """

    answer: str
    usable: bool


def in_thread(call: Callable[[], Any]) -> Any:
    """Run a call in a new thread, so that leaked stack is freed with the thread.

    On Python 3.12, when JAX 0.12 rejects a tree, it does not undo its count of nested C calls:
    after some hundred trees, every call in the same thread fails.

    Args:
        call: the function to run; its exception is raised here.
    """
    with concurrent.futures.ThreadPoolExecutor(1) as threads:
        return threads.submit(call).result()


def outcome(call: Callable[[], Any]) -> Outcome:
    """Run a call in a forked process and return how it ended.

    A fork keeps patches of the library under test; a fresh interpreter would not. If the platform
    cannot fork, the call runs in this process.

    Args:
        call: the function to run; not a jitted one, since a forked process has no XLA threads.
    """
    if not hasattr(os, "fork"):
        return Outcome(*_attempt(call))
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # JAX and Python warn about forks in processes with threads; the child uses no threads.
        warnings.simplefilter("ignore")
        child = os.fork()
    if child == 0:
        _run_child(call, writer)
    os.close(writer)
    with os.fdopen(reader) as stream:
        answer, _, usable = stream.read().partition("|")
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    ended = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit {code}"
    return Outcome(answer or ended, usable == "True")


def _run_child(call: Callable[[], Any], writer: int) -> None:
    """Write the outcome of the call and exit without running the parent's exit handlers."""
    try:
        signal.alarm(_SECONDS)
        # pytest points it at a copy of stderr.
        faulthandler.disable()
        # Discard the output of an interpreter that crashes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        answer, usable = _attempt(call)
        os.write(writer, answer.encode())
        os.write(writer, b"|True" if usable else b"|False")
    finally:
        os._exit(0)


def _attempt(call: Callable[[], Any]) -> tuple[str, bool]:
    answer = "returned"
    try:
        call()
    except Exception as raised:
        answer = type(raised).__name__
    # If the call leaked too much stack, recursion fails from now on.
    try:
        repr([[[_descend(20)]]])
    except RecursionError:
        return answer, False
    return answer, True


def _descend(steps: int) -> int:
    return steps and _descend(steps - 1)
