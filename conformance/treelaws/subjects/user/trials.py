"""Tries something on a user's class before its laws run, within a part of their time limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from treelaws.core import settings
from treelaws.core.limits.time_limit import Expired, ends_the_run, limited

# The part of the time limit of an input that may go into one trial.
_PART = 0.25
_T = TypeVar("_T")


def tried(look: Callable[[], _T]) -> _T | None:
    """Return the result of a function; `None` if it raises or does not end, which laws report.

    Args:
        look: a function that runs code of the user's class.
    """
    try:
        with limited(settings.case_seconds * _PART):
            return look()
    except Expired:
        return None
    except BaseException as raised:
        if ends_the_run(raised):
            raise
        return None
