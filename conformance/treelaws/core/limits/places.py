"""Where code under test was when it was stopped."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

# Packages whose frames are not those of a user's class.
OURS = frozenset({"treelaws", "hypothesis_pytrees", "hypothesis", "jax", "jaxlib", "pytest"})


def place_of(frame: FrameType | None) -> str:
    """Return file, line and function of the user's code that runs, or of ours if none does.

    Args:
        frame: the frame that runs.
    """
    found = frame
    for one in _outwards(frame):
        found = one
        # Frames around that of a law are those of a test runner.
        if _is_users(one) or _package(one) == "treelaws":
            break
    if found is None:
        return "unknown code"
    code = found.f_code
    return f"{Path(code.co_filename).name}:{found.f_lineno} in {code.co_name}"


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _is_users(frame: FrameType) -> bool:
    # The classes of recipes are those of an input.
    if str(frame.f_globals.get("__name__", "")).startswith("hypothesis_pytrees.generated"):
        return True
    top = _package(frame)
    return top not in OURS and (top == "__main__" or top not in sys.stdlib_module_names)
