"""Inputs that a user's node rejects: leaves that a law substitutes for those of the node.

The unflatten of a node may check the shapes and dtypes of arrays. No document forbids that, as long
as it accepts the placeholders that JAX documents. A tree that a node rejects is not an input.
"""

from __future__ import annotations

import traceback

from .failure import UnexpectedError
from .subject import Subject

# The feature of a recipe whose leaves were replaced.
REPLACED_LEAVES = "fitted"


def rejected(error: UnexpectedError) -> bool:
    """Return whether a user's node rejected the leaves that a law substituted.

    A node by itself can reject them only while the input is built. In the trees of a library, any
    error raised by the node's own code counts: the laws about nodes say what a node must accept.

    Args:
        error: the error that a law raised.
    """
    if error.subject.guest is not None:
        return _raised_by(error.subject.guest, error.cause)
    return error.building and not error.subject.shipped and REPLACED_LEAVES in error.recipe.features


def _raised_by(guest: Subject, error: BaseException) -> bool:
    """Return whether a method of a node type is in the traceback of an error."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        names = code.co_varnames[: code.co_argcount]
        first = frame.f_locals.get(names[0]) if names else None
        kind = first if isinstance(first, type) else type(first)
        # A function of a library may take a node as its first argument, too.
        theirs = frame.f_globals.get("__name__") in {base.__module__ for base in kind.__mro__}
        if theirs and kind.__qualname__ == guest.kind and hasattr(kind, code.co_name):
            return True
    return False
