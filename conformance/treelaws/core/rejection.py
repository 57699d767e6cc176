"""Inputs that a user's node rejects: arguments of its constructor, and leaves that a law replaces.

A constructor may check its arguments, and unflatten the shapes and dtypes of arrays. No document
forbids that, as long as unflatten accepts the placeholders that JAX documents. A tree that a node
rejects is not an input; an error that its unflatten raises for its own leaves breaks a law.
"""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

from hypothesis_pytrees.core.recipe import RECIPE_FILE

from .failure import Breach, UnexpectedError
from .subject import Subject

# The feature of a recipe whose leaves were replaced.
REPLACED_LEAVES = "fitted"
# Modules that rebuild an existing node: JAX's `tree_util.py`, and the copies of Python.
_UNFLATTENING = ("tree_util.py", "copy.py", "pickle.py")
# Packages whose errors are what laws are about.
_TESTED = {"jax", "jaxlib", "equinox", "flax", "optax", "chex", "numpy"}
# This suite, and packages that the tested ones call.
_BESIDE = {"treelaws", "hypothesis_pytrees", "hypothesis", "pytest", "jaxtyping", "wadler_lindig"}
_BESIDE |= {"treescope", "ml_dtypes", "opt_einsum", "scipy", "rich", "msgpack", "orbax", "absl"}


def rejected(breach: Breach) -> bool:
    """Return whether a user's node rejected its input.

    A node by itself can reject it only while the input is built: in its constructor, or in its
    unflatten if the law replaced the leaves. In the trees of a library, any error raised by the
    node's own code counts, also where the law waits for another error: the laws about nodes say
    what a node must accept.

    Args:
        breach: of the law that met the error.
    """
    unexpected = isinstance(breach, UnexpectedError)
    if breach.subject.guest is not None:
        error = breach.cause if unexpected else breach.cause.__cause__
        law = breach.law.check.__module__
        return error is not None and _raised_by(breach.subject.guest, error, law)
    if not unexpected or not breach.building:
        return False
    if breach.subject.shipped or breach.subject.family != "node":
        return False
    return REPLACED_LEAVES in breach.recipe.features or by_constructor(breach.cause)


def by_constructor(error: BaseException) -> bool:
    """Return whether a call in the text of a recipe raised an error, rather than unflatten.

    Args:
        error: raised while a recipe was built.
    """
    files = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]
    if RECIPE_FILE not in files:
        return False
    below = files[files.index(RECIPE_FILE) + 1 :]
    called = next((file for file in below if not file.startswith("<")), "")
    return Path(called).name not in _UNFLATTENING


def _raised_by(guest: Subject, error: BaseException, law: str) -> bool:
    """Return whether code of a node type, or of its package and the like, raised an error.

    Args:
        guest: the node type.
        error: the error.
        law: the module of the law, which is not code of the node type.
    """
    others = _TESTED | _BESIDE | sys.stdlib_module_names
    for frame, _ in traceback.walk_tb(error.__traceback__):
        module = frame.f_globals.get("__name__", "")
        if module != law and module.partition(".")[0] not in others:
            return True
        code = frame.f_code
        names = code.co_varnames[: code.co_argcount]
        first = frame.f_locals.get(names[0]) if names else None
        kind = first if isinstance(first, type) else type(first)
        # A function of a library may take a node as its first argument, too.
        theirs = module in {base.__module__ for base in kind.__mro__}
        if theirs and kind.__qualname__ == guest.kind and hasattr(kind, code.co_name):
            return True
    return False
