"""Checks the configuration of pytest in this folder, in a child process.

It reads the files and variables that any run here reads, and stops before collection.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator

import pytest

from .children import make
from .hypothesis_settings import check_hypothesis
from .pytest_settings import check_pytest
from .results import Result, problem


class _Spy:
    """Plugin that checks the config and stops pytest before collection."""

    def __init__(self) -> None:
        self.results: list[Result] | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> int:
        self.results = [*check_pytest(config), *check_hypothesis(config)]
        return 0


def _check() -> Iterator[Result]:
    spy = _Spy()
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        code = pytest.main([], plugins=[spy])
    if spy.results is None:
        errors = [line for line in said.getvalue().splitlines() if "rror" in line]
        why = errors[-1].strip() if errors else f"exit code {int(code)}"
        yield problem("pytest", f"does not start in this folder: {why}")
    else:
        yield from spy.results


if __name__ == "__main__":
    make({"pytest": _check})
