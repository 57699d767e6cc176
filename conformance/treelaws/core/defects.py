"""Defects: the broken laws of a subject, grouped by what makes them fail.

One defect of a class breaks many laws. Two broken laws have the same cause if they raise the same
exception in the same line of the class, or with the same message where no line of the class is
known, end in the same difference, or have the same fix.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from .failure import Breach, UnexpectedError
from .law import Law
from .mismatch import Mismatch, first_line
from .object_addresses import without_addresses
from .settings import LEVELS

_T = TypeVar("_T")
# The nearer to the registration of a class, the nearer to the cause.
_TOPICS = ("node.flatten", "node.keys", "node.aux", "node.copies", "node.transforms")
# Differences between values; "fact" and "result" are words of one law.
_ASPECTS = ("structure", "static value", "identity", "type", "dtype", "shape", "weak_type", "value")
# Frames of these are on the way to the code at fault.
_PASSING = ("treelaws", "hypothesis_pytrees", "hypothesis", "jax", "jaxlib", "numpy")


def marks(breach: Breach) -> tuple[str, ...]:
    """Return what a breach has in common with other breaches of the same cause.

    Args:
        breach: the broken law with its input.
    """
    about = (breach.subject.guest or breach.subject).name
    found = list(breach.advice)
    cause = breach.cause
    if isinstance(breach, UnexpectedError):
        found.append(f"{type(cause).__name__} at {_line_at_fault(cause)}")
    elif isinstance(cause, Mismatch) and cause.aspect in _ASPECTS:
        found.append(_place_that_differs(breach.difference))
    elif isinstance(cause, Mismatch) and cause.__cause__ is not None:
        # Such as treedefs that cannot be compared, which other laws meet as an error.
        error = cause.__cause__
        found.append(f"{type(error).__name__} at {_line_at_fault(error)}")
    return tuple(f"{about}: {mark}" for mark in found)


def _place_that_differs(difference: str) -> str:
    """Return the part of a difference that names an attribute and its values, or else all of it.

    The rest prints whole values, cut in other places in each law.
    """
    lines = [line.strip() for line in difference.splitlines()]
    return "\n".join(line for line in lines if line.startswith("where ")) or difference


def _line_at_fault(error: BaseException) -> str:
    """Return the line at fault, or the message of the error."""
    return line_at_fault(error) or without_addresses(first_line(error))


def line_at_fault(error: BaseException) -> str:
    """Return file and line of the innermost frame outside of JAX and this suite; empty if none.

    JAX flattens in C++, so what it says about a class may come from any function of JAX.
    """
    frames = list(traceback.walk_tb(error.__traceback__))
    for frame, line in reversed(frames):
        if str(frame.f_globals.get("__name__")).partition(".")[0] not in _PASSING:
            return f"{frame.f_code.co_filename}:{line}"
    return ""


def grouped(
    broken: Sequence[_T],
    *,
    marks: Callable[[_T], Iterable[str]],
    rank: Callable[[_T], tuple[Any, ...]],
) -> list[list[_T]]:
    """Group broken laws by cause; the law nearest to the cause is the first of its group.

    Args:
        broken: the broken laws, in any form.
        marks: returns what one of them has in common with others of the same cause.
        rank: returns how near the law of one of them is to the cause, nearest first.
    """
    groups: list[tuple[set[str], list[_T]]] = []
    for one in broken:
        own = set(marks(one))
        joined = [group for group in groups if group[0] & own]
        groups = [group for group in groups if group not in joined]
        members = [member for _, found in joined for member in found]
        groups.append((own.union(*(found for found, _ in joined)), [*members, one]))
    lists = [sorted(members, key=rank) for _, members in groups]
    return sorted(lists, key=lambda members: rank(members[0]))


def rank(law: Law) -> tuple[Any, ...]:
    """Return the place of a law in the order from the registration of a class to its use."""
    topic = _TOPICS.index(law.topic.id) if law.topic.id in _TOPICS else len(_TOPICS)
    position = law.check.__code__.co_firstlineno
    return topic, LEVELS.index(law.level), len(law.ancestors), position, law.id


def counted(groups: Sequence[Sequence[Any]]) -> str:
    """Return the numbers in words, such as `1 defect breaks 16 laws`."""
    laws = sum(map(len, groups))
    verb = "breaks" if len(groups) == 1 else "break"
    return f"{_many(len(groups), 'defect')} {verb} {_many(laws, 'law')}"


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
