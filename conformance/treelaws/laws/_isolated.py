"""Calls that may take the interpreter down, made in a copy of the process."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable
from typing import Any

_SECONDS = 20


def outcome(call: Callable[[], Any]) -> str:
    """Make a call in a forked process and say how it ended.

    A fork keeps the library under test as it is, a patched one too; a fresh interpreter would
    not. Where the platform cannot fork, the call is made here.

    Args:
        call: what to do; it must not run a compiled function, since a fork has no XLA threads.

    Returns:
        `"returned"`, the name of the exception's type, `"killed by "` and the signal's name, or
        that the interpreter cannot be used afterwards.
    """
    if not hasattr(os, "fork"):
        return _attempt(call)
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # JAX and Python warn of forks next to threads; the child uses none.
        warnings.simplefilter("ignore")
        child = os.fork()
    if child == 0:
        _run_child(call, writer)
    os.close(writer)
    with os.fdopen(reader) as answer:
        text = answer.read()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return text or (f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit {code}")


def _run_child(call: Callable[[], Any], writer: int) -> None:
    """Report the end of the call and leave without running any of the parent's exit handlers."""
    try:
        signal.alarm(_SECONDS)
        # An interpreter that dies prints to where nobody reads.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stderr__.fileno() if sys.__stderr__ else 2)
        text = _attempt(call)
        os.write(writer, text.encode())
    finally:
        os._exit(0)


def _attempt(call: Callable[[], Any]) -> str:
    answer = "returned"
    try:
        call()
    except Exception as raised:
        answer = type(raised).__name__
    # Each check of the depth must be undone; one that is not leaves nothing to recurse with.
    try:
        repr([[[answer]]])
    except RecursionError:
        return "an interpreter that cannot recurse any more"
    return answer
