"""Finds the cache folder, and makes a folder with only the packages of the suite."""

from __future__ import annotations

import atexit
import functools
import importlib.util
import os
import shutil
import tempfile
from pathlib import Path

_PACKAGES = ("treelaws", "hypothesis_pytrees")


def cache_folder() -> Path:
    """Return the cache folder of this project."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "treelaws"


@functools.cache
def suite_folder() -> Path:
    """Return a folder with only the packages of the suite, removed when this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="treelaws-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in _PACKAGES:
        found = importlib.util.find_spec(name)
        assert found is not None
        assert found.origin is not None
        package = Path(found.origin).resolve().parent
        try:
            (folder / name).symlink_to(package, target_is_directory=True)
        except OSError:
            shutil.copytree(package, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder
