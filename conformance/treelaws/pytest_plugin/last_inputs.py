"""The last input of each worker of pytest-xdist, in case that it dies with it."""

from __future__ import annotations

import functools
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .items import is_law

if TYPE_CHECKING:
    from hypothesis_pytrees import Recipe
    from treelaws.core.law import Law

_KEY = "treelaws.last_input"
# The length of the text comes first, since a shorter one leaves the end of the one before.
_LENGTH = 8


class LastInputs:
    """In the main process: tells each worker its file, and reads what a dead one left there."""

    def __init__(self) -> None:
        self._folder: Path | None = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker its file before it starts."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="treelaws-"))
        node.workerinput[_KEY] = str(self._folder / node.gateway.id)

    def of(self, worker: str) -> tuple[str, Recipe] | None:
        """Return the law that a worker ran last and its input; `None` if it left none.

        Args:
            worker: its name, such as `gw0`.
        """
        from hypothesis_pytrees import Recipe

        if self._folder is None:
            return None
        try:
            whole = (self._folder / worker).read_bytes()
            law, definitions, statements, expression, features = json.loads(
                whole[_LENGTH : _LENGTH + int(whole[:_LENGTH])]
            )
        # A worker on another machine leaves nothing here, and one may die while it writes.
        except (OSError, ValueError):
            return None
        return law, Recipe(tuple(definitions), tuple(statements), expression, frozenset(features))

    def pytest_unconfigure(self) -> None:
        """Remove the files."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


class Keeper:
    """In a worker: writes each input before a law runs on it."""

    def __init__(self) -> None:
        self._process, self._file = os.getpid(), -1

    # Before what counts the inputs and passes them on.
    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Begin to write, if there are laws."""
        path = getattr(session.config, "workerinput", {}).get(_KEY)
        # A worker on another machine has no such folder.
        if path is None or not Path(path).parent.is_dir() or not any(map(is_law, session.items)):
            return
        from treelaws.core import stopped

        self._file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        session.config.add_cleanup(functools.partial(os.close, self._file))
        stopped.announce = self._write

    def _write(self, law: Law, recipe: Recipe) -> None:
        # A law may fork, and the child runs laws, too.
        if os.getpid() != self._process:
            return
        parts = [law.id, recipe.definitions, recipe.statements, recipe.expression]
        text = json.dumps([*parts, [*recipe.features]]).encode()
        os.pwrite(self._file, str(len(text)).zfill(_LENGTH).encode() + text, 0)
