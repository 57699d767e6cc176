"""Checks the cache, which holds the environments of other releases."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from treelaws.releases.environments.folders import cache_folder

from .results import Result, note, ok

_LARGE = 20 * 2**30
# Limit on the time to measure the cache.
_MOST_SECONDS = 2.0


def check_cache() -> Iterator[Result]:
    """Check the folder that `bisect`, `matrix` and `past-bugs` fill."""
    folder = cache_folder()
    existing = next(one for one in (folder, *folder.parents) if one.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        told = f"{folder} cannot be written: no other release can be installed; set XDG_CACHE_HOME"
        yield note("cache", told)
        return
    if existing != folder:
        yield ok("cache", f"{folder}, not there yet")
        return
    taken, whole = _size(folder)
    told = f"{folder}, {'' if whole else 'more than '}{taken / 2**30:.1f} GB"
    if taken > _LARGE:
        yield note("cache", f"{told}; safe to delete: environments are created again when needed")
    else:
        yield ok("cache", told)


def _size(folder: Path) -> tuple[int, bool]:
    """Return the bytes below a folder, and whether all of them were counted in time."""
    end, taken, left = time.monotonic() + _MOST_SECONDS, 0, [str(folder)]
    while left:
        try:
            with os.scandir(left.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
                    else:
                        taken += entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue
        if time.monotonic() > end:
            return taken, not left
    return taken, True
