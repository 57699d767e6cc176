"""Files that are whole or not there, and folders of one's own."""

from __future__ import annotations

import contextlib
from pathlib import Path


def replace_text(path: Path, text: str) -> None:
    """Write a text file so that a run that is stopped leaves no half of one.

    Args:
        path: the file; its folder is made.
        text: the whole content.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.unfinished")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def new_folder(wanted: Path) -> Path:
    """Make a folder that was not there, with a number behind its name where another was.

    Args:
        wanted: the folder; its parents are made.

    Raises:
        OSError: it cannot be made.
    """
    folder, number = wanted, 1
    while True:
        with contextlib.suppress(FileExistsError):
            folder.mkdir(parents=True)
            return folder
        number += 1
        folder = wanted.with_name(f"{wanted.name}-{number}")
