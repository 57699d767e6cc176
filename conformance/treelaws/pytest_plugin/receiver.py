"""The hooks that collect rows from all processes; jax is imported at the first row."""

from __future__ import annotations

import datetime
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from treelaws.core import problems, settings

from .interrupts import Interrupts
from .last_inputs import LastInputs
from .losses import Losses

if TYPE_CHECKING:
    from treelaws.reporting.collecting import Collector

# Report properties in which a process that runs tests sends its plan, its rows and its problems.
PLAN, ROW, PROBLEM = "treelaws.plan", "treelaws.row", "treelaws.problem"
# In a process that runs tests of laws: sends the plan with the first report.
SENDER = pytest.StashKey[Any]()


def send_problems(report: pytest.TestReport) -> None:
    """In a process that runs tests: add the problems that were noted since the last report."""
    found = [(PROBLEM, json.dumps(pair)) for pair in problems.take().items()]
    # A run that has the row of a law also has the problem behind it.
    report.user_properties = [*found, *report.user_properties]


class Receiver:
    """In the main process: collects plans, rows and problems, and writes the summary.

    Args:
        config: of the run.
        folder: folder of the reports; `None` for no reports.
        latest: symbolic link to point at the folder; `None` for no link.
        inputs: the last input of each worker of pytest-xdist.
    """

    def __init__(
        self,
        config: pytest.Config,
        folder: Path | None,
        latest: Path | None,
        inputs: LastInputs,
    ) -> None:
        self._config, self._folder, self._latest = config, folder, latest
        self._begun = time.monotonic()
        self._started = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        self._collector: Collector | None = None
        self._problems: dict[str, str] = {}
        self._losses = Losses(inputs)
        self._interrupts = Interrupts()
        self._errors: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take plan, rows and problems out of a report, before other plugins print them."""
        sent = [pair for pair in report.user_properties if pair[0] in (PLAN, ROW, PROBLEM)]
        report.user_properties = [pair for pair in report.user_properties if pair not in sent]
        for name, text in sent:
            content = json.loads(str(text))
            if name == PLAN:
                self._collecting().plan(*content)
            elif name == ROW:
                self._collecting().row(content)
            else:
                self._problems.setdefault(*content)
        # pytest-xdist reports the crash of a worker in this way.
        if report.when == "???":
            self._losses.lost(report)
        if self._collector is not None:
            self._losses.record(self._collector)

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_testnodedown(self, node: Any, error: Any) -> None:
        """Note a worker of pytest-xdist that died."""
        if error:
            self._losses.died(node.gateway.id)

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

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self) -> None:
        """Let a second Ctrl-C wait until the reports are written."""
        self._interrupts.hold()

    def pytest_unconfigure(self) -> None:
        """Let Ctrl-C interrupt the process again."""
        self._interrupts.release()

    # Before pytest-xdist waits for its workers, which a second Ctrl-C may cut short.
    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the reports; an interrupted run writes them too, marked incomplete.

        A run that tested nothing of a library that it was to test fails, and so does one that lost
        a worker, a report or its saved inputs.
        """
        ended = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        if self._collector is not None:
            self._interrupts.hold()
            self._collector.finish(round(time.monotonic() - self._begun, 1) if ended else None)
            if exitstatus == pytest.ExitCode.OK:
                self._errors += self._missing()
            self._errors += self._collector.problems
        self._errors += [*self._losses.told(), *self._problems.values()]
        if self._errors and exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if exitstatus == pytest.ExitCode.INTERRUPTED:
            folder = self._collector.folder if self._collector is not None else None
            where = f"; the reports are in {folder}" if folder else ""
            self._interrupts.leave(f"stopped by a second Ctrl-C{where}")
        elif self._interrupts.release():
            self._errors.append("Ctrl-C came after the last test; the reports are complete")
            session.exitstatus = pytest.ExitCode.INTERRUPTED

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
                yield str(one)
            elif not allowed & {one.library, one.module}:
                yield f"{one}; --allow-missing {one.library} accepts that"
        ran = any(row.verdict != "skipped" for row in rows) or self._others_passed()
        if not ran and not found:
            yield f"no law ran: {skipped(reasons_of(rows))}"

    def _others_passed(self) -> bool:
        printer = self._config.pluginmanager.get_plugin("terminalreporter")
        return bool(getattr(printer, "stats", {}).get("passed"))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the summary, the path of the report, and each reason why the run fails."""
        lines = [] if self._collector is None else [*self._collector.lines()]
        lines += [f"error: {problem}" for problem in dict.fromkeys(self._errors)]
        if lines:
            terminalreporter.section("treelaws")
        for line in lines:
            terminalreporter.write_line(line)
