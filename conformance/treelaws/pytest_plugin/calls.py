"""`--calls FILE`: counts how laws call the public functions of the libraries."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

_OUTPUT = "treelaws.calls"


class CallCounter:
    """Counts in each process, and writes the sum at the end of the run.

    Args:
        path: the file.
        callers: the beginnings of the names of the files whose calls count; default those of laws
            and recipes.
    """

    def __init__(self, path: Path, callers: tuple[str, ...] = ()) -> None:
        # Tests may change the working directory.
        self._path = path.absolute()
        self._callers = callers
        self._parts: list[Mapping[str, Any]] = []
        self._active = contextlib.ExitStack()
        self._recorder: Any = None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Begin to count in a process that runs tests."""
        from treelaws.strength.coverage.inventory import installed
        from treelaws.strength.coverage.recorder import Recorder

        if session.config.getoption("dist", "no") == "no" or _is_worker(session.config):
            callers = {"files": self._callers} if self._callers else {}
            self._recorder = Recorder(installed(), **callers)
            self._active.enter_context(self._recorder.active())

    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker of pytest-xdist has counted."""
        if (part := getattr(node, "workeroutput", {}).get(_OUTPUT)) is not None:
            self._parts.append(json.loads(part))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send what was counted, or write the sum."""
        self._active.close()
        if self._recorder is not None:
            self._parts.append(self._recorder.calls)
        if _is_worker(session.config):
            output: Any = vars(session.config)["workeroutput"]
            output[_OUTPUT] = json.dumps(self._parts[-1] if self._parts else {})
            return
        from treelaws.strength.coverage.recorder import joined

        self._path.write_text(json.dumps(joined(self._parts)), encoding="utf-8")


def counter(file: str, callers: tuple[str, ...] = (), *, option: str = "--calls") -> CallCounter:
    """Return the plugin for the value of the option; `callers` are those of `CallCounter`.

    Raises:
        pytest.UsageError: the folder of the file does not exist.
    """
    path = Path(file)
    if not path.parent.is_dir() or path.is_dir():
        raise pytest.UsageError(f"{option}: {file}: not a file in a folder that exists")
    return CallCounter(path, callers)


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")
