"""Workers of pytest-xdist that died, and the laws that they ran."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .last_inputs import LastInputs

if TYPE_CHECKING:
    from treelaws.reporting.collecting import Collector


class Losses:
    """Knows which workers died, and records each in the row of the law that it ran.

    Args:
        inputs: the last input of each worker.
    """

    def __init__(self, inputs: LastInputs) -> None:
        self._inputs = inputs
        # By worker: the tests that it ran when it died and that have no row.
        self._tests: dict[str, str] = {}

    def died(self, worker: str) -> None:
        """Note a worker that died, perhaps between two tests.

        Args:
            worker: its name, such as `gw0`.
        """
        self._tests.setdefault(worker, "")

    def lost(self, report: Any) -> None:
        """Note the test that a worker ran when it died.

        Args:
            report: the report of pytest-xdist about it.
        """
        self._tests[report.node.gateway.id] = report.nodeid

    def record(self, collector: Collector) -> None:
        """Give the laws among these tests their rows, once the plan has named them."""
        for worker, test in list(self._tests.items()):
            if test and collector.lost(test, worker, self._inputs.of(worker)):
                del self._tests[worker]

    def told(self) -> Iterator[str]:
        """Yield a line for each worker that died without a row."""
        for worker, test in self._tests.items():
            where = f"in {test}" if test else "between two tests"
            yield f"worker {worker} died {where}; rerun with -n 0, which shows the crash"
