"""Inputs that a user's node rejects: the leaves that a law puts in the place of its own.

A node may check the shapes and dtypes of arrays in its unflatten: that no document forbids, as long
as it lets the placeholders through which JAX names. A node of arrays that it refuses is no input.
"""

from __future__ import annotations

import traceback

from .failure import UnexpectedError
from .subject import Subject

# The feature of a recipe whose leaves were replaced.
REPLACED_LEAVES = "fitted"


def rejected(error: UnexpectedError) -> bool:
    """Say whether a user's node rejected the leaves that a law substituted.

    Alone, while the input was made; in a library's trees, whenever its own code raised, since the
    laws of nodes say what a node must take.

    Args:
        error: what a law met.
    """
    if error.subject.guest is not None:
        return _raised_by(error.subject.guest, error.cause)
    return error.building and not error.subject.shipped and REPLACED_LEAVES in error.recipe.features


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
