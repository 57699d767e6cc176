"""Atomic writes of files, folders with a unique name, and whether a folder can be written."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def replace_text(path: Path, text: str) -> None:
    """Write a text file atomically: an interrupted run leaves the old file or the new one.

    Args:
        path: the file; its folder is created.
        text: the whole content.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two processes may write the same file at once.
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.unfinished")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def new_folder(wanted: Path) -> Path:
    """Create a new folder and return its path; append a number if the name is taken.

    Args:
        wanted: the folder; its parents are created.

    Raises:
        OSError: it cannot be created.
    """
    folder, number = wanted, 1
    while True:
        with contextlib.suppress(FileExistsError):
            folder.mkdir(parents=True)
            return folder
        number += 1
        folder = wanted.with_name(f"{wanted.name}-{number}")


def unwritable(folder: Path, content: bytes = b"") -> str:
    """Return why a new file cannot be written to a folder, which is created; empty if it can.

    Args:
        folder: the folder.
        content: the content of the file; by default it is empty.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            file.write(content)
    except OSError as raised:
        return raised.strerror or str(raised)
    return ""


def status_folder() -> Path:
    """Return the folder of the status of releases: in a wheel part of the package."""
    package = Path(__file__).resolve().parents[1]
    shipped = package / "status"
    return shipped if shipped.is_dir() else package.parents[1] / "reports" / "status"
