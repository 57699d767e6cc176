"""Faults of what a function does: its effects on the arguments, and its errors."""

from __future__ import annotations

import copy
import pickle
from typing import Any

from .fault import Call, fault


class OtherError(Exception):
    """Raised in place of the exception of a function."""


@fault("no error", "an exception is swallowed, and the answer is None")
def _no_error(call: Call) -> Any:
    try:
        return call.real()
    except Exception:
        call.shown()
        return None


@fault("other error", "an exception of another type is raised")
def _other_error(call: Call) -> Any:
    try:
        return call.real()
    except Exception as raised:
        call.shown()
        raise OtherError(str(raised)) from None


@fault("no effect", "the arguments are not changed")
def _no_effect(call: Call) -> Any:
    before = _contents(call.args, call.kwargs)
    if before is None:
        return call.real()
    args, kwargs = copy.deepcopy((tuple(call.args), dict(call.kwargs)))
    answer = call.function(*args, **kwargs)
    if _contents(args, kwargs) == before:
        return call.real()
    call.shown()
    return answer


@fault("effect twice", "what the function does is done twice")
def _effect_twice(call: Call) -> Any:
    call.real()
    once = _contents(call.args, call.kwargs)
    answer = call.real()
    if once != _contents(call.args, call.kwargs):
        call.shown()
    return answer


def _contents(args: Any, kwargs: Any) -> bytes | None:
    """Return the arguments as text, to see a change; `None` if they cannot be written or copied."""
    try:
        copied = copy.deepcopy((tuple(args), dict(kwargs)))
        # Twice: what was read back shares strings as every further copy does.
        return pickle.dumps(pickle.loads(pickle.dumps(copied)))
    except Exception:
        return None
