"""Checks the cache, which holds the resolved versions of other releases and answers with them."""

from __future__ import annotations

import os
from collections.abc import Iterator

from treelaws.releases.environments.folders import cache_folder

from .results import Result, note, ok


def check_cache() -> Iterator[Result]:
    """Check the folder that `bisect`, `matrix` and `past-bugs` fill."""
    folder = cache_folder()
    existing = next(one for one in (folder, *folder.parents) if one.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        told = f"{folder} cannot be written: no other release can be installed; set XDG_CACHE_HOME"
        yield note("cache", told)
    else:
        yield ok("cache", f"{folder}{'' if existing == folder else ', not there yet'}")
