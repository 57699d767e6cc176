"""An example database that may fail during a run without changing any verdict."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis.database import ExampleDatabase

from treelaws.core import problems


class FallbackDatabase(ExampleDatabase):
    """Wraps a database; after the first failure it acts as an empty one.

    Without it, a server that stops during a run would turn every law into an error.

    Args:
        wrapped: the database.
        name: its name in messages.
        failures: exceptions that count as a failure.
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
        """Return the values saved under a key."""
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
        told = " ".join(str(raised).split()).rstrip(".")
        effect = "the run went on without saved inputs"
        cure = "start it again, or leave --database out"
        problems.note(self._name, f"{self._name} no longer answers: {told}; {effect}; {cure}")

    # HypoFuzz listens to changes.
    def _start_listening(self) -> None:
        self._wrapped.add_listener(self._broadcast_change)

    def _stop_listening(self) -> None:
        self._wrapped.remove_listener(self._broadcast_change)
