"""The hooks that take rows from every process; it imports jax once there is a row."""

from __future__ import annotations

import datetime
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from treelaws.reporting.collecting import Collector

# Properties under which a process that runs tests sends what it is to run, and rows.
PLAN, ROW = "treelaws.plan", "treelaws.row"
# In a process that runs tests of laws: what sends the plan with the first report.
SENDER = pytest.StashKey[Any]()


class Receiver:
    """In the process that reports: takes what the others send, and sums up.

    Args:
        config: of the run.
        folder: where the reports go; `None` for nowhere.
        latest: a link that is set to the folder; `None` for none.
    """

    def __init__(self, config: pytest.Config, folder: Path | None, latest: Path | None) -> None:
        self._config, self._folder, self._latest = config, folder, latest
        self._begun = time.monotonic()
        self._started = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        self._collector: Collector | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a process has sent, before other plugins print the properties."""
        sent = [pair for pair in report.user_properties if pair[0] in (PLAN, ROW)]
        report.user_properties = [pair for pair in report.user_properties if pair not in sent]
        for name, text in sent:
            content = json.loads(str(text))
            if name == PLAN:
                self._collecting().plan(*content)
            else:
                self._collecting().row(content)
        # A worker that died has no report of its own.
        if report.when == "???" and self._collector is not None:
            self._collector.lost(report.nodeid, str(report.longrepr))

    def row(self, content: dict[str, Any]) -> None:
        """Take a row that goes with no report: what a test has held on since its own."""
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
        """Give the versions to the file of `--junit-xml`, if one is written."""
        libraries = facts["environment"]["libraries"]
        for plugin in self._config.pluginmanager.get_plugins():
            if hasattr(plugin, "add_global_property"):
                for name, version in libraries.items():
                    plugin.add_global_property(name, version)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write the reports, those of an interrupted run too."""
        if self._collector is not None:
            ended = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
            self._collector.finish(round(time.monotonic() - self._begun, 1) if ended else None)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Sum up on one screen, and say where the reports are."""
        if self._collector is not None:
            terminalreporter.section("treelaws")
            for line in self._collector.lines():
                terminalreporter.write_line(line)
