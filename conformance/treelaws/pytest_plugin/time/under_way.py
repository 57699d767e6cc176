"""What each worker is at in the time that is left: pytest-xdist does not know, should one die."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest

_KEY = "treelaws.under_way"


class UnderWay:
    """A file for each worker that names the test it is at.

    Args:
        config: of the run.
    """

    def __init__(self, config: pytest.Config) -> None:
        sent = getattr(config, "workerinput", {})
        self._file = Path(sent[_KEY]) if _KEY in sent else None
        self._folder: Path | None = None

    def tell(self, node: Any) -> None:
        """Let a worker know its file, before it starts."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="treelaws-"))
        node.workerinput[_KEY] = str(self._folder / node.gateway.id)

    def say(self, item: pytest.Item | None) -> None:
        """In a worker: name the test that begins; `None` when all have ended."""
        # A worker on another machine has no such folder.
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.write_text(json.dumps([item.nodeid, item.location] if item else []))

    def lost(self, node: Any) -> pytest.TestReport | None:
        """Report the test that a worker died of, or give `None`."""
        path = node.workerinput.get(_KEY)
        try:
            nodeid, location = json.loads(Path(path).read_text())
        except (OSError, TypeError, ValueError):
            return None
        told = f"worker {node.gateway.id} crashed while it tried more cases of {nodeid}"
        # The form in which pytest-xdist reports a crash.
        return pytest.TestReport(nodeid, tuple(location), {}, "failed", told, "???")  # pyright: ignore

    def forget(self) -> None:
        """Remove the files."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
