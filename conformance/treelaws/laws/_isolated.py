"""Calls that may take the interpreter down, made in a copy of the process."""

from __future__ import annotations

import concurrent.futures
import faulthandler
import os
import signal
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

# Far more than a call takes on a busy machine: what is stopped here counts as a hang.
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
    """Make a call in a thread of its own, which takes along what the call spoils of the C stack.

    On Python 3.12 each container that JAX 0.12 has entered when it refuses a tree counts as
    entered for ever: after some hundred trees the thread can call nothing any more.

    Args:
        call: what to do; what it raises is raised here.
    """
    with concurrent.futures.ThreadPoolExecutor(1) as threads:
        return threads.submit(call).result()


def outcome(call: Callable[[], Any]) -> Outcome:
    """Make a call in a forked process and say how it ended.

    A fork keeps the library under test as it is, a patched one too; a fresh interpreter would
    not. Where the platform cannot fork, the call is made here.

    Args:
        call: what to do; it must not run a compiled function, since a fork has no XLA threads.
    """
    if not hasattr(os, "fork"):
        return Outcome(*_attempt(call))
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # JAX and Python warn of forks next to threads; the child uses none.
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
    """Report the end of the call and leave without running any of the parent's exit handlers."""
    try:
        signal.alarm(_SECONDS)
        # pytest lets it write to a copy of stderr.
        faulthandler.disable()
        # An interpreter that dies prints to where nobody reads.
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
    # Each step down must be undone on the way up, or there is nothing left to recurse with.
    try:
        repr([[[_descend(20)]]])
    except RecursionError:
        return answer, False
    return answer, True


def _descend(steps: int) -> int:
    return steps and _descend(steps - 1)
