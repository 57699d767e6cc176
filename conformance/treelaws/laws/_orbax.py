"""Checkpoints of Orbax as bytes."""

from __future__ import annotations

import importlib
import pathlib
import shutil
import tempfile
from typing import Any


def saved(tree: Any) -> bytes:
    """Return the checkpoint of a tree, a folder, as an archive."""
    with tempfile.TemporaryDirectory() as folder, _checkpointer() as checkpointer:
        checkpointer.save(pathlib.Path(folder, "checkpoint"), tree)
        checkpointer.wait_until_finished()
        packed = pathlib.Path(folder, "packed")
        archive = shutil.make_archive(str(packed), "zip", folder, "checkpoint")
        return pathlib.Path(archive).read_bytes()


def restored(archive: bytes, *target: Any) -> Any:
    """Return the tree of a checkpoint.

    Args:
        archive: what `saved` returned.
        target: a tree of the same structure with abstract arrays; without one, Orbax returns dicts.
    """
    with tempfile.TemporaryDirectory() as folder, _checkpointer() as checkpointer:
        pathlib.Path(folder, "packed.zip").write_bytes(archive)
        shutil.unpack_archive(str(pathlib.Path(folder, "packed.zip")), folder)
        return checkpointer.restore(pathlib.Path(folder, "checkpoint"), *target)


def _checkpointer() -> Any:
    # Importing it takes seconds.
    return importlib.import_module("orbax.checkpoint").StandardCheckpointer()
