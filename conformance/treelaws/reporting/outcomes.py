"""Outcomes: what pytest's report of one test means for its law, as a row."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .. import known
from ..budget import clock
from ..failure import Breach
from ..known_files import updating
from ..law import Law, law_named
from ..running import broken_ancestor
from ..scripts import offer
from ..testing import StaleKnown, held
from ..witnesses import witness_of
from .hooks import PLAN, ROW
from .report import described
from .rows import Row

SKIPPED = pytest.StashKey[tuple[str, str]]()


class Sender:
    """In every process that runs tests: tells with its first report what it is to run.

    Args:
        places: node id, law, subject and known departure of each test of a law.
    """

    def __init__(self, places: list[tuple[str, str, str, str]]) -> None:
        self._places = places

    def send(self, report: pytest.TestReport) -> None:
        """Add the plan to a report, once."""
        if self._places:
            laws = {law: described(law_named(law)) for _, law, _, _ in self._places}
            report.user_properties.append((PLAN, json.dumps([self._places, laws])))
            self._places = []


def judge(
    item: pytest.Item,
    call: pytest.CallInfo[None],
    report: pytest.TestReport,
    *,
    place: tuple[str, str, str],
    tried: bool,
) -> Row | None:
    """Say what a test's phase means, and let pytest's report say so too.

    Args:
        item: the test of a law, or of a known departure's witness.
        call: what happened.
        report: pytest's report of it, which is changed.
        place: the law's id, the subject and the known departure.
        tried: run the script of a breach before it is offered.

    Returns:
        The row; `None` for a phase that decides nothing.
    """
    law = law_named(place[0])
    raised = call.excinfo.value if call.excinfo is not None else None
    if isinstance(raised, Breach):
        return _broken(item, raised, report, place, tried)
    if isinstance(raised, clock.CutShort):
        return _cut_short(item, report, place)
    found = _found(item, report, raised, place)
    if found is None:
        return None
    verdict, reason = found
    # What is stale only because a library was built from source fails nothing.
    advisory = law.advisory or (verdict == "stale-known" and report.skipped)
    return _row(item, report, place, verdict, reason=reason, advisory=advisory)


def _found(
    item: pytest.Item,
    report: pytest.TestReport,
    raised: BaseException | None,
    place: tuple[str, str, str],
) -> tuple[str, str] | None:
    if report.failed:
        return "stale-known" if isinstance(raised, StaleKnown) else "error", _first_line(raised)
    if report.skipped:
        stale = report.when == "call" and place[2]
        return item.stash.get(SKIPPED, ("stale-known" if stale else "skipped", _first_line(raised)))
    if report.when != "call":
        return None
    return ("known", _why(place[2])) if place[2] else ("held", "")


def _cut_short(item: pytest.Item, report: pytest.TestReport, place: tuple[str, str, str]) -> Row:
    """Report what a law held on until the time of the run was up."""
    examples = held[place[:2]]
    if examples:
        report.outcome, report.longrepr = "passed", None
        reason = f"{clock.reason} after {examples} cases"
        return _row(item, report, place, "held", reason=reason)
    reason = f"not run: {clock.reason}"
    report.longrepr = (str(item.path), item.location[1] or 0, reason)
    return _row(item, report, place, "not run", reason=clock.reason)


def _why(departure: str) -> str:
    found = next(one for one in known.departures() if one.name == departure)
    return f"{' '.join(found.reason.split())} ({found.issue})"


def _first_line(raised: BaseException | None) -> str:
    name = type(raised).__name__
    text = (str(raised).splitlines() or [""])[0]
    return text if isinstance(raised, pytest.skip.Exception | StaleKnown) else f"{name}: {text}"


def _broken(
    item: pytest.Item,
    breach: Breach,
    report: pytest.TestReport,
    place: tuple[str, str, str],
    tried: bool,
) -> Row:
    law = breach.law
    cause = broken_ancestor(law, breach.subject)
    if cause is not None:
        report.outcome = "skipped"
        reason = f"blocked: {cause.law.id} is broken for {cause.subject.name}"
        report.longrepr = (str(item.path), item.location[1] or 0, reason)
        return _row(item, report, place, "blocked", reason=reason.removeprefix("blocked: "))
    shown = offer(breach, tried=tried and not law.advisory)
    report.longrepr = str(shown.breach)
    report.sections.append((f"standalone script: {shown.answer}", shown.script))
    if law.advisory:
        report.outcome = "skipped"
        report.wasxfail = f"advisory: {law.id} does not hold"
    updating.send(item.config, report, shown.breach, breach)
    witness = witness_of(shown.breach)
    return _row(
        item,
        report,
        place,
        "broken",
        advisory=law.advisory,
        difference=shown.breach.difference.strip("\n"),
        key=witness.key,
        witness=witness.content(),
        script=shown.script,
        answer=shown.answer,
    )


def _row(
    item: pytest.Item,
    report: pytest.TestReport,
    place: tuple[str, str, str],
    verdict: str,
    **more: Any,
) -> Row:
    law, subject, departure = place
    examples = 0 if departure else held.pop((law, subject), 0)
    row = Row(law, subject, verdict, departure, examples=examples, seconds=report.duration, **more)
    _attach(item, report, row, law_named(law))
    return row


def _attach(item: pytest.Item, report: pytest.TestReport, row: Row, law: Law) -> None:
    """Send a row along with pytest's report: whole, and what a JUnit file shows of it."""
    shown = {
        "law": row.law,
        "subject": row.subject,
        "verdict": row.verdict,
        "departure": row.departure,
        "level": law.level,
        "source": law.source,
        "examples": row.examples,
        "key": row.key,
    }
    # A JUnit file takes the properties of the last phase, which are those of the item.
    item.user_properties += [(name, value) for name, value in shown.items() if value != ""]
    report.user_properties.append((ROW, json.dumps(row.content())))
