"""Finds the Pythons of this machine."""

from __future__ import annotations

import dataclasses
import functools
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from .requirements import BadRequest, tool

_SECONDS = 60.0


@dataclasses.dataclass(frozen=True)
class Interpreter:
    """A Python on this machine.

    Args:
        path: its executable.
        version: its version, such as `"3.11.7"`.
    """

    path: str
    version: str


@functools.cache
def interpreter(python: str = "") -> Interpreter:
    """Return a Python of this machine.

    Args:
        python: version such as `"3.11"`, or path of an executable; default the running one.

    Raises:
        BadRequest: this machine has no such Python.
    """
    running = platform.python_version()
    if not python or f"{running}.".startswith(f"{python}."):
        return Interpreter(sys.executable, running)
    for path in _candidates(python):
        asked = [path, "-c", "import platform; print(platform.python_version())"]
        if version := _printed(asked):
            return Interpreter(path, version)
    raise BadRequest(
        f"Python {python!r} is not found; install it, or give the path of its executable"
    )


def _candidates(python: str) -> Iterator[str]:
    if Path(python).is_file():
        yield str(Path(python).absolute())
        return
    find = [tool("uv").find_uv_bin(), "python", "find", "--system", "--no-project", python]
    if path := _printed(find):
        yield path
    # pyenv puts shims on the path, which start only the selected version.
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv", "versions")
    for name in (python, f"{python}.*"):
        yield from sorted((str(path) for path in pyenv.glob(f"{name}/bin/python")), reverse=True)


def _printed(command: list[str]) -> str:
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ended.stdout.strip() if ended.returncode == 0 else ""
