"""The hooks that collect rows from all processes; jax is imported at the first row."""

from __future__ import annotations

import datetime
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from treelaws.core import settings

if TYPE_CHECKING:
    from treelaws.reporting.collecting import Collector

# Report properties in which a process that runs tests sends its plan and its rows.
PLAN, ROW = "treelaws.plan", "treelaws.row"
# In a process that runs tests of laws: sends the plan with the first report.
SENDER = pytest.StashKey[Any]()


class Receiver:
    """In the main process: collects plans and rows, and writes the summary.

    Args:
        config: of the run.
        folder: folder of the reports; `None` for no reports.
        latest: symbolic link to point at the folder; `None` for no link.
    """

    def __init__(self, config: pytest.Config, folder: Path | None, latest: Path | None) -> None:
        self._config, self._folder, self._latest = config, folder, latest
        self._begun = time.monotonic()
        self._started = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        self._collector: Collector | None = None
        self._untested: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take plan and rows out of a report, before other plugins print its properties."""
        sent = [pair for pair in report.user_properties if pair[0] in (PLAN, ROW)]
        report.user_properties = [pair for pair in report.user_properties if pair not in sent]
        for name, text in sent:
            content = json.loads(str(text))
            if name == PLAN:
                self._collecting().plan(*content)
            else:
                self._collecting().row(content)
        # pytest-xdist reports the crash of a worker in this way.
        if report.when == "???" and self._collector is not None:
            self._collector.lost(report.nodeid, str(report.longrepr))

    def row(self, content: dict[str, Any]) -> None:
        """Take a row without a report: further examples of a test that was already reported."""
        self._collecting().row(content)

    def _collecting(self) -> Collector:
        if self._collector is None:
            from treelaws.reporting.collecting import Collector
            from treelaws.reporting.report import run_facts

            seed = self._config.getoption("hypothesis_seed", None)
            facts = run_facts(self._started, seed)
            self._collector = Collector(facts, self._folder, self._latest)
            self._tell_junit(facts)
        return self._collector

    def _tell_junit(self, facts: dict[str, Any]) -> None:
        """Add the versions to the file of `--junit-xml`, if there is one."""
        libraries = facts["environment"]["libraries"]
        for plugin in self._config.pluginmanager.get_plugins():
            if hasattr(plugin, "add_global_property"):
                for name, version in libraries.items():
                    plugin.add_global_property(name, version)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the reports; an interrupted run writes them too, marked incomplete.

        A run that tested nothing of a library that it was to test fails.
        """
        if self._collector is None:
            return
        ended = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        self._collector.finish(round(time.monotonic() - self._begun, 1) if ended else None)
        if exitstatus == pytest.ExitCode.OK:
            self._untested = list(self._missing())
            if self._untested:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _missing(self) -> Iterator[str]:
        """Yield a line for each library of which nothing was tested, and for an empty run."""
        from treelaws.reporting.untested import reasons_of, skipped, untested
        from treelaws.subjects.registry import registered

        assert self._collector is not None
        rows, allowed = self._collector.rows, set(self._config.getoption("allow_missing") or ())
        # A shard may hold few laws of a library.
        found = [] if settings.shard else untested(rows, registered)
        for one in found:
            if one.failure:
                yield f"error: {one}"
            elif not allowed & {one.library, one.module}:
                yield f"error: {one}; --allow-missing {one.library} accepts that"
        ran = any(row.verdict != "skipped" for row in rows) or self._others_passed()
        if not ran and not found:
            yield f"error: no law ran: {skipped(reasons_of(rows))}"

    def _others_passed(self) -> bool:
        printer = self._config.pluginmanager.get_plugin("terminalreporter")
        return bool(getattr(printer, "stats", {}).get("passed"))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the summary and the path of the report."""
        if self._collector is not None:
            terminalreporter.section("treelaws")
            for line in (*self._collector.lines(), *dict.fromkeys(self._untested)):
                terminalreporter.write_line(line)
