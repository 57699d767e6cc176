"""Hooks for `--known`: they check laws at the start of a run, and subjects after collection.

Test files may register subjects, so subjects are complete only once these are imported.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

# A worker of pytest-xdist cannot end a run, so it sends the message under this key.
_PROBLEM = "treelaws.unknown_subject"


class KnownFiles:
    """Reads the files of `--known` and rejects names that do not exist.

    Args:
        paths: the files.
    """

    def __init__(self, paths: list[Path]) -> None:
        self._paths = paths

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self) -> None:
        """Read the files before workers start and before tests are collected."""
        if not self._paths:
            return
        from treelaws.core.departures import known
        from treelaws.laws import all_laws

        try:
            for path in self._paths:
                known.add(path)
        except known.BadKnown as raised:
            raise pytest.UsageError(f"--known: {raised}") from raised
        for problem in known.unknown_laws(all_laws()):
            raise pytest.UsageError(f"--known: {problem}; `python -m treelaws laws` lists them")

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Reject an unknown subject, unless a test file failed that may register it.

        Raises:
            pytest.UsageError: a subject is unknown.
        """
        problem = "" if session.testsfailed else _unknown_subject()
        if not problem:
            return
        output = getattr(config, "workeroutput", None)
        if output is None:
            raise pytest.UsageError(problem)
        output[_PROBLEM] = problem
        items.clear()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Reject an unknown subject that a worker of pytest-xdist has found.

        Raises:
            pytest.UsageError: the worker has found one.
        """
        output = getattr(node, "workeroutput", None) or {}
        if _PROBLEM in output:
            raise pytest.UsageError(output[_PROBLEM])


def _unknown_subject() -> str:
    # `parametrize` may have read files too; if nothing did, no library needs to be imported.
    known = sys.modules.get("treelaws.core.departures.known")
    if known is None or not known.added():
        return ""
    from treelaws.findings.subject_names import register_named
    from treelaws.subjects.registry import subjects

    try:
        register_named()
        names = [found.name for found in subjects()]
    except LookupError as raised:
        return str(raised.args[0])
    for problem in known.unknown_subjects(names):
        cure = "correct it, or run the test file that registers it"
        return f"--known: {problem}; {cure}"
    return ""
