"""The hooks of `--max-time`, in the process that reports and in those that run tests."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from treelaws.core import settings
from treelaws.pytest_plugin.items import is_law, key_of

from . import clock
from .order import in_order
from .rounds import Rounds, Spent
from .under_way import UnderWay

# Keys of the data that workers of pytest-xdist receive and send.
_DEADLINE, _REPORTS, _SPENT = (f"treelaws.{name}" for name in ("deadline", "reports", "spent"))


class MaxTime:
    """Runs the tests that fit in the time, then spends spare time on the neediest laws.

    Args:
        config: of the run.
        told: the number of seconds as the user wrote it.

    Raises:
        pytest.UsageError: the text is not a number above 0.
    """

    def __init__(self, config: pytest.Config, told: str) -> None:
        try:
            seconds = clock.seconds(told)
        except ValueError as raised:
            raise pytest.UsageError(f"--max-time: {raised}") from None
        self._config, self._told = config, told
        sent = getattr(config, "workerinput", {})
        self._deadline = sent.get(_DEADLINE, time.time() + seconds)
        clock.start(self._deadline, told)
        self._under_way = UnderWay(config)
        self._rounds = Rounds(_base(config), self._under_way)
        self._spent = Spent()
        self._left_out = 0

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Return a worker of pytest-xdist the same clock."""
        node.workerinput[_DEADLINE] = self._deadline
        self._under_way.tell(node)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Sort the tests of laws among their places; other tests keep their places."""
        from treelaws.laws import law_named

        slots = [index for index, item in enumerate(items) if is_law(item)]
        laws = [items[index] for index in slots]
        keys = [key_of(item) for item in laws]
        levels = {key[0]: law_named(key[0]).level for key in keys}
        for slot, index in zip(slots, in_order(keys, levels), strict=True):
            items[slot] = laws[index]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Skip a law's test, fixtures included, once the time is up.

        Raises:
            CutShort: the time is up.
        """
        if is_law(item) and clock.left() <= 0:
            raise clock.CutShort(clock.reason)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Any:
        """Remember the laws that held."""
        report = yield
        if is_law(item):
            self._rounds.take(item, report)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Any:
        """Run more rounds after all tests, until the time is up."""
        done = yield
        if not session.config.option.collectonly:
            self._go_on(session)
        return done

    def _go_on(self, session: pytest.Session) -> None:
        output = getattr(self._config, "workeroutput", None)
        begun, before = time.monotonic(), self._rounds.cases()
        try:
            for report in self._rounds.go_on(session):
                if output is None:
                    self._config.hook.pytest_runtest_logreport(report=report)
                else:
                    hook = self._config.hook.pytest_report_to_serializable
                    output.setdefault(_REPORTS, []).append(hook(config=self._config, report=report))
        finally:
            totals = self._rounds.totals()
            spent = self._rounds.spent(time.monotonic() - begun, before)
            if output is None:
                self._sum_up(totals, spent)
            else:
                output[_SPENT] = json.dumps([totals, vars(spent)])

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: Any) -> None:
        """Take the reports of a worker of pytest-xdist from its spare time."""
        output = getattr(node, "workeroutput", None) or {}
        if error and (lost := self._under_way.lost(node)) is not None:
            lost.node = node  # pyright: ignore[reportAttributeAccessIssue]
            self._config.hook.pytest_runtest_logreport(report=lost)
        for data in output.get(_REPORTS, ()):
            hook = self._config.hook.pytest_report_from_serializable
            report = hook(config=self._config, data=data)
            report.node = node  # pyright: ignore[reportAttributeAccessIssue]
            self._config.hook.pytest_runtest_logreport(report=report)
        if _SPENT in output:
            totals, spent = json.loads(output[_SPENT])
            self._sum_up(totals, Spent(**spent))

    def _sum_up(self, totals: Any, spent: Spent) -> None:
        self._spent.add(spent)
        receiver: Any = self._config.pluginmanager.get_plugin("treelaws.reports")
        for row in totals:
            receiver.row(row)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the tests that did not run."""
        told = report.longrepr[2] if isinstance(report.longrepr, tuple | list) else ""
        self._left_out += told == f"not run: {clock.reason}"

    def pytest_unconfigure(self) -> None:
        """Remove temporary files."""
        self._under_way.forget()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Report how far the time went."""
        if self._left_out:
            told = f"{clock.reason}: {self._left_out} law tests did not run"
        elif self._spent.tests:
            spent = self._spent
            told = (
                f"--max-time {self._told}: all tests ran; {spent.seconds:.0f} s spare: "
                f"{spent.cases} extra examples over {spent.tests} laws, all held"
            )
        else:
            return
        terminalreporter.write_line(f"treelaws: {told}")


def _base(config: pytest.Config) -> str:
    """Return the base of the seeds of the rounds, or an empty text for random seeds."""
    if (given := config.getoption("hypothesis_seed", None)) is not None:
        return str(given)
    return "ci" if settings.profile == "ci" else ""
