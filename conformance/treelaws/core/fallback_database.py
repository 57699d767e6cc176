"""A database of examples that may go away: what a run finds does not depend on it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from hypothesis.database import ExampleDatabase
from hypothesis.errors import HypothesisWarning


class FallbackDatabase(ExampleDatabase):
    """Passes everything to a database until that fails; from then on it holds nothing.

    Without it a server that stops in the middle of a run would make an error of each law.

    Args:
        wrapped: the database.
        name: what a warning calls it.
        failures: what it raises when it fails.
    """

    def __init__(
        self, wrapped: ExampleDatabase, name: str, failures: tuple[type[Exception], ...]
    ) -> None:
        super().__init__()
        self._wrapped, self._name, self._failures = wrapped, name, failures
        self._failed = False

    def __repr__(self) -> str:
        return f"FallbackDatabase({self._wrapped!r})"

    def fetch(self, key: bytes) -> Iterable[bytes]:
        """Give what is saved under a key."""
        if self._failed:
            return []
        try:
            return list(self._wrapped.fetch(key))
        except self._failures as raised:
            self._note(raised)
            return []

    def save(self, key: bytes, value: bytes) -> None:
        """Save a value under a key."""
        self._change("save", key, value)

    def delete(self, key: bytes, value: bytes) -> None:
        """Remove a value from a key."""
        self._change("delete", key, value)

    def move(self, src: bytes, dest: bytes, value: bytes) -> None:
        """Move a value from one key to another."""
        self._change("move", src, dest, value)

    def _change(self, name: str, *arguments: bytes) -> None:
        if self._failed:
            return
        try:
            getattr(self._wrapped, name)(*arguments)
        except self._failures as raised:
            self._note(raised)

    def _note(self, raised: Exception) -> None:
        self._failed = True
        told = " ".join(str(raised).split())
        message = f"{self._name} no longer answers: {told}; goes on without saved examples"
        warnings.warn(message, HypothesisWarning, stacklevel=4)

    # HypoFuzz listens to changes.
    def _start_listening(self) -> None:
        self._wrapped.add_listener(self._broadcast_change)

    def _stop_listening(self) -> None:
        self._wrapped.remove_listener(self._broadcast_change)
