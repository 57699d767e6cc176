"""Parsing of Python text, also where a finalizer that runs meanwhile parses text, too."""

from __future__ import annotations

import ast
import contextlib
import gc
import sys
from collections.abc import Iterator


def parse(text: str) -> ast.Module:
    """Return `ast.parse(text)`.

    Args:
        text: the text of a module.

    Raises:
        SyntaxError: it is no Python.

    Source: https://github.com/python/cpython/issues/106905: Python 3.11 counts the depth of all
    parsers together. If the garbage collector runs code that parses, as pytest's hook for errors
    in finalizers does, the outer one raises SystemError.
    """
    with _no_garbage_collection() if sys.version_info[:2] == (3, 11) else contextlib.nullcontext():
        return ast.parse(text)


@contextlib.contextmanager
def _no_garbage_collection() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
