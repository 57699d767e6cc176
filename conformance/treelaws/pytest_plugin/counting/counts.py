"""Options such as `--calls FILE`, for which each process counts and the run writes the sum."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

import pytest


class Recorder(Protocol):
    """What counts in one process."""

    def active(self) -> contextlib.AbstractContextManager[None]:
        """Return the context in which it counts."""
        ...

    def counts(self) -> Any:
        """Return what was counted, as JSON can hold it."""
        ...


class Counter:
    """Counts in each process that runs tests, and writes the sum at the end of the run.

    Args:
        option: the option, such as `"--calls"`.
        path: the file.
        make: returns a recorder; it is called after the tests were collected.
        joined: returns the sum of the counts of several processes.
    """

    def __init__(
        self,
        option: str,
        path: Path,
        make: Callable[[], Recorder],
        joined: Callable[[Iterable[Any]], Any],
    ) -> None:
        # Tests may change the working directory.
        self._path = path.absolute()
        self._output = f"treelaws.{option}"
        self._make, self._joined = make, joined
        self._parts: list[Any] = []
        self._active = contextlib.ExitStack()
        self._recorder: Recorder | None = None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Begin to count in a process that runs tests."""
        if session.config.getoption("dist", "no") == "no" or _is_worker(session.config):
            self._recorder = self._make()
            self._active.enter_context(self._recorder.active())

    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker of pytest-xdist has counted."""
        if (part := getattr(node, "workeroutput", {}).get(self._output)) is not None:
            self._parts += json.loads(part)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send what was counted, or write the sum."""
        self._active.close()
        if self._recorder is not None:
            self._parts.append(self._recorder.counts())
        if _is_worker(session.config):
            output: Any = vars(session.config)["workeroutput"]
            output[self._output] = json.dumps(self._parts)
            return
        self._path.write_text(json.dumps(self._joined(self._parts)), encoding="utf-8")


def checked(option: str, file: str) -> Path:
    """Return the path of the file of an option.

    Raises:
        pytest.UsageError: its folder does not exist, or it is a folder.
    """
    path = Path(file)
    if not path.parent.is_dir() or path.is_dir():
        raise pytest.UsageError(f"{option}: {file}: not a file in a folder that exists")
    return path


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")
