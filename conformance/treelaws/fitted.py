"""Inputs that somebody's node refuses: the leaves that a law puts in the place of its own.

A node may check the shapes and dtypes of arrays in its unflatten: that no document forbids, as long
as it lets the placeholders through which JAX names. A node of arrays that it refuses is no input.
"""

from __future__ import annotations

import functools
import traceback

from .failure import UnexpectedError
from .law import Law
from .subjects import Subject

# The feature of a recipe whose leaves were replaced.
FITTED = "fitted"
# A law that finds no input in so many cases is not tried.
_TRIALS = 12


def refused(error: UnexpectedError) -> bool:
    """Say whether somebody's node refused the leaves that a law wanted in it.

    Alone, while the input was made; in a library's trees, whenever its own code raised, since the
    laws of nodes say what a node must take.

    Args:
        error: what a law met.
    """
    if error.subject.guest is not None:
        return _raised_by(error.subject.guest, error.cause)
    return error.building and not error.subject.shipped and FITTED in error.recipe.features


def _raised_by(guest: Subject, error: Exception) -> bool:
    """Say whether an error went through a method of a node type."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        names = code.co_varnames[: code.co_argcount]
        first = frame.f_locals.get(names[0]) if names else None
        kind = first if isinstance(first, type) else type(first)
        # A library's function may take a node first, too.
        theirs = frame.f_globals.get("__name__") in {base.__module__ for base in kind.__mro__}
        if theirs and kind.__qualname__ == guest.kind and hasattr(kind, code.co_name):
            return True
    return False


@functools.cache
def obstacle(law: Law, subject: Subject) -> str:
    """Tell why a law has no input among somebody's nodes; empty where it has.

    Args:
        law: it.
        subject: what to try it on.
    """
    if subject.shipped or subject.family != "node":
        return ""
    from .running import drawn

    error = ""
    for recipe in drawn(law, subject, _TRIALS):
        if FITTED not in recipe.features:
            return ""
        try:
            recipe.build()
        except Exception as raised:
            error = f"{type(raised).__name__}: {(str(raised).splitlines() or [''])[0]}"
        else:
            return ""
    return f"{subject.name} refuses the leaves that this law puts in it ({error})"
