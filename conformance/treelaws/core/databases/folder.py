"""Example databases in a folder, which note the errors that Hypothesis ignores."""

from __future__ import annotations

import functools
import os
import re
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

from hypothesis import settings
from hypothesis.database import (
    DirectoryBasedExampleDatabase,
    ExampleDatabase,
    InMemoryExampleDatabase,
)
from hypothesis.errors import HypothesisWarning

from treelaws.core import problems
from treelaws.core.files import unwritable


class FolderDatabase(DirectoryBasedExampleDatabase):
    """Notes each saved input that cannot be read or written; the run continues without it.

    Args:
        wrapped: the database of Hypothesis with this folder.
    """

    def __init__(self, wrapped: DirectoryBasedExampleDatabase) -> None:
        super().__init__(wrapped.path)
        self._wrapped = wrapped

    def fetch(self, key: bytes) -> Iterable[bytes]:
        """Return the values saved under a key, without those that cannot be read."""
        return list(self._read(key))

    def _read(self, key: bytes) -> Iterator[bytes]:
        folder = self._key_path(key)
        try:
            paths = [folder / name for name in os.listdir(folder)]
        except FileNotFoundError:
            return
        except OSError as raised:
            self._note(folder, f"cannot be read: {raised.strerror}")
            return
        for path in paths:
            try:
                value = path.read_bytes()
            except FileNotFoundError:
                continue  # Another process has removed it.
            except OSError as raised:
                self._note(path, f"cannot be read: {raised.strerror}")
                continue
            # The name of a file is a hash of its content.
            if self._value_path(key, value) == path:
                yield value
            else:
                self._note(path, "is damaged")

    def save(self, key: bytes, value: bytes) -> None:
        """Save a value under a key."""
        self._wrapped.save(key, value)
        path = self._value_path(key, value)
        if not os.path.exists(path) and (reason := unwritable(path.parent, value)):
            cure = "make room for it, or name another folder with --database"
            told = f"cannot be written: {reason}; inputs that broke laws were not saved; {cure}"
            problems.note(str(self.path), f"{self.path}: {told}")

    def _note(self, path: Path, problem: str) -> None:
        told = f"{problem}; the run went on without this saved input; remove {self.path}"
        problems.note(str(self.path), f"{path}: {told}")


class _Unusable(InMemoryExampleDatabase):
    """Takes the place of the default folder if that cannot be used, and notes it when it is used.

    Args:
        path: the folder.
    """

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def fetch(self, key: bytes) -> Iterable[bytes]:
        """Return the values saved under a key in this process."""
        reason = unwritable(Path(self._path)) or "it cannot be read"
        cure = "make it a writable folder, or name another with --database"
        told = f"cannot be used: {reason}; inputs that broke laws were not saved; {cure}"
        problems.note(self._path, f"{self._path}: {told}")
        return list(super().fetch(key))


@functools.cache
def default_database() -> ExampleDatabase | None:
    """Return the database of Hypothesis' default profile; its errors are noted."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", HypothesisWarning)
        found = settings.get_profile("default").database
    if isinstance(found, DirectoryBasedExampleDatabase):
        return FolderDatabase(found)
    for one in caught:
        # Hypothesis names the folder in the warning alone.
        if named := re.search(r"path=\w+\('(.+)'\)", str(one.message)):
            return _Unusable(named[1])
    return found
