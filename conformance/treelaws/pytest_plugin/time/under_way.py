"""Records the running test of each worker in spare time, in case the worker crashes."""

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
    """One file for each worker, which names its running test.

    Args:
        config: configuration of the run.
    """

    def __init__(self, config: pytest.Config) -> None:
        sent = getattr(config, "workerinput", {})
        self._file = Path(sent[_KEY]) if _KEY in sent else None
        self._folder: Path | None = None

    def tell(self, node: Any) -> None:
        """Tell a worker its file before it starts."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="treelaws-"))
        node.workerinput[_KEY] = str(self._folder / node.gateway.id)

    def say(self, item: pytest.Item | None) -> None:
        """Record the test that a worker starts; `None` after the last one."""
        # A worker on another machine has no such folder.
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.write_text(json.dumps([item.nodeid, item.location] if item else []))

    def lost(self, node: Any) -> pytest.TestReport | None:
        """Return a report of the test that crashed a worker, or `None`."""
        path = node.workerinput.get(_KEY)
        try:
            nodeid, location = json.loads(Path(path).read_text())
        except (OSError, TypeError, ValueError):
            return None
        told = f"worker {node.gateway.id} crashed while it ran more examples of {nodeid}"
        # pytest-xdist reports a crash in this form.
        return pytest.TestReport(nodeid, tuple(location), {}, "failed", told, "???")  # pyright: ignore

    def forget(self) -> None:
        """Remove the files."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
