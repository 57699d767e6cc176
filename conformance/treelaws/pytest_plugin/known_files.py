"""The hooks that read users' files: laws are checked at the start, subjects after collection.

Test files may register subjects, so what a file names exists once they are imported.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

# What a worker of pytest-xdist, which cannot end a run, hands back.
_PROBLEM = "treelaws.unknown_subject"


class KnownFiles:
    """Reads the files of `--known` and refuses what names nothing.

    Args:
        paths: the files.
    """

    def __init__(self, paths: list[Path]) -> None:
        self._paths = paths

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self) -> None:
        """Read the files, before a worker is started and tests are made of what they hold."""
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
        """Refuse an unknown subject, unless the file that registers it may be the one that failed.

        Raises:
            pytest.UsageError: there is one.
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
        """Refuse what a worker of pytest-xdist found to be unknown.

        Raises:
            pytest.UsageError: it did.
        """
        output = getattr(node, "workeroutput", None) or {}
        if _PROBLEM in output:
            raise pytest.UsageError(output[_PROBLEM])


def _unknown_subject() -> str:
    # `parametrize` may have read files, too; without any, no library is imported for nothing.
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
        cure = "correct it, or give the test file that registers it"
        return f"--known: {problem}; {cure}"
    return ""
