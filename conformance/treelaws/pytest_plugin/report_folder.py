"""The folder of `--report`, which belongs to one run at a time."""

from __future__ import annotations

from pathlib import Path

import filelock
import pytest

from treelaws.core.files import unwritable

_LOCK = ".lock"


def taken(config: pytest.Config, folder: Path) -> Path:
    """Lock the folder until the run ends, also if it is killed, and return its full path.

    Args:
        config: of the run.
        folder: the folder; it is created.

    Raises:
        pytest.UsageError: the folder cannot be written, or another run writes to it.
    """
    if reason := unwritable(folder):
        raise pytest.UsageError(f"--report: {folder} cannot be written: {reason}; give a folder")
    whole = folder.resolve()
    lock = filelock.FileLock(whole / _LOCK)
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        told = "belongs to a run that has not ended; wait for it, or give another folder"
        raise pytest.UsageError(f"--report: {folder} {told}") from None
    except OSError as raised:
        told = f"cannot be locked: {raised.strerror}; give a folder on another file system"
        raise pytest.UsageError(f"--report: {folder} {told}") from raised
    config.add_cleanup(lock.release)
    return whole
