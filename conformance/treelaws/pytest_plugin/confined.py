"""Tests of laws that run in child processes, since the class under test may end this one."""

from __future__ import annotations

from typing import Any

import pytest

from treelaws.api import children
from treelaws.children.told import Told, told_on
from treelaws.core.departures.departure import Departure
from treelaws.core.law import Law
from treelaws.core.limits import time_limit
from treelaws.core.subject import Subject
from treelaws.laws import law_named
from treelaws.pytest_plugin.time import clock
from treelaws.subjects.registry import subject as subject_named

from .items import Key, departure_of, key_of, params

# Outcomes by law, subject and known departure, until they are reported.
outcomes: dict[Key, Told] = {}


def runs(item: pytest.Item) -> bool:
    """Run the test of a law that the suite has made, if its subject has a hazard.

    Returns:
        Whether the subject has one. A test made by `treelaws.parametrize` runs its law itself.

    Raises:
        pytest.skip.Exception, pytest.fail.Exception: as `run`.
    """
    law, name, _ = key_of(item)
    if "law" in params(item) or not children.has_hazard(subject_named(name)):
        return False
    run(law_named(law), subject_named(name), departure_of(item), config=item.config)
    return True


def run(
    law: Law, subject: Subject, departure: Departure | None = None, *, config: Any = None
) -> None:
    """Run a law in a child process, and note its outcome for the report.

    Args:
        law: the law.
        subject: the subject, which has a hazard.
        departure: the known departure whose witness is replayed instead; default none.
        config: configuration of the run, if it is known.

    Raises:
        pytest.skip.Exception: the law did not run, or the time was up.
        pytest.fail.Exception: the law is broken.
    """
    candidate = config is not None and config.getoption("known_update", None) is not None
    name = departure.name if departure else ""
    try:
        with time_limit.limited(clock.left(), lambda _: clock.CutShort(clock.reason)):
            found = children.told(law, subject, departure=departure, candidate=candidate)
    except clock.CutShort:
        # It may have been searching on behind the first breach.
        if (law.id, name) not in told_on(subject):
            raise
        found = told_on(subject)[law.id, name]
    outcomes[law.id, subject.name, name] = found
    if found.kind in ("broken", "stale-known", "error"):
        pytest.fail(found.message or found.reason, pytrace=False)
    if found.kind != "held":
        pytest.skip(found.reason)
