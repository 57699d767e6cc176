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

# What a process gets from pytest-xdist, and what it hands back.
_DEADLINE, _REPORTS, _SPENT = (f"treelaws.{name}" for name in ("deadline", "reports", "spent"))


class MaxTime:
    """Runs what there is time for, then goes on with what needs it most.

    Args:
        config: of the run.
        told: the number of seconds as the user wrote it.

    Raises:
        pytest.UsageError: it is no number above 0.
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
        """Give a worker of pytest-xdist the same clock."""
        node.workerinput[_DEADLINE] = self._deadline
        self._under_way.tell(node)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Put the tests of laws in order, each where one was; others stay where they are."""
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
        """Remember what held."""
        report = yield
        if is_law(item):
            self._rounds.take(item, report)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Any:
        """When all tests have run, go on until the time is up."""
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
        """Take what a worker of pytest-xdist found in the time that was left."""
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
        """Count what there was no time for."""
        told = report.longrepr[2] if isinstance(report.longrepr, tuple | list) else ""
        self._left_out += told == f"not run: {clock.reason}"

    def pytest_unconfigure(self) -> None:
        """Leave nothing behind."""
        self._under_way.forget()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say what the time was enough for."""
        if self._left_out:
            told = f"{clock.reason}: {self._left_out} tests of laws were not run"
        elif self._spent.tests:
            spent = self._spent
            told = (
                f"--max-time {self._told}: every test was run; in {spent.seconds:.0f} s that were "
                f"left, {spent.tests} of them held on {spent.cases} cases more"
            )
        else:
            return
        terminalreporter.write_line(f"treelaws: {told}")


def _base(config: pytest.Config) -> str:
    """Give the seed of the rounds: that of the run, the same each time for `ci`, else none."""
    if (given := config.getoption("hypothesis_seed", None)) is not None:
        return str(given)
    return "ci" if settings.profile == "ci" else ""
