"""Turns the pytest report of a test into a row about its law."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis.errors import Flaky, Unsatisfiable

from treelaws.children.told import Told
from treelaws.core.defects import marks
from treelaws.core.failure import Breach
from treelaws.core.law import Law
from treelaws.core.limits import time_limit
from treelaws.core.limits.time_limit import Expired
from treelaws.core.mismatch import first_line
from treelaws.core.obstacles import Obstacle
from treelaws.core.stopped import NO_INPUT, found_so_far, no_input, stopped
from treelaws.core.verdict import Verdict, all_known, held, verdict
from treelaws.draws.drawn_recipes import seed_of
from treelaws.laws import law_named
from treelaws.pytest_plugin.time import clock
from treelaws.reporting.findings import described_findings
from treelaws.reporting.report import described
from treelaws.reporting.rows import Row
from treelaws.reproduce import behind
from treelaws.reproduce.finding_script import script_for_report
from treelaws.reproduce.script import offer
from treelaws.reproduce.witness import witness_of
from treelaws.subjects.registry import subject as subject_named

from . import confined, known_update
from .failure_text import show_failure
from .items import Key
from .law_tests import held_examples, replayed
from .receiver import PLAN, ROW

# Why a law does not run, from the setup of its test.
OBSTACLE = pytest.StashKey[Obstacle]()


class Sender:
    """In each process that runs tests: sends the plan along with the first report.

    Args:
        tests: node id, law, subject and known departure of each test of a law.
    """

    def __init__(self, tests: list[tuple[str, str, str, str]]) -> None:
        self._tests = tests

    def send(self, report: pytest.TestReport) -> None:
        """Add the plan to a report, once."""
        if self._tests:
            laws = {law: described(law_named(law)) for _, law, _, _ in self._tests}
            names = {departure for *_, departure in self._tests if departure}
            plan = [self._tests, laws, described_findings(names)]
            report.user_properties.append((PLAN, json.dumps(plan)))
            self._tests = []


def row_of(
    item: pytest.Item,
    call: pytest.CallInfo[None],
    report: pytest.TestReport,
    *,
    about: Key,
    run_script: bool,
) -> Row | None:
    """Return the row for one phase of a test, and change the pytest report to match.

    Args:
        item: the test of a law, or of the witness of a known departure.
        call: the result of the phase.
        report: the pytest report of the phase, which is changed.
        about: the law's id, the subject and the known departure.
        run_script: run the script of a breach, to say whether it reproduces.

    Returns:
        The row; `None` for a phase that decides no verdict.
    """
    raised = call.excinfo.value if call.excinfo is not None else None
    if (told := confined.outcomes.pop(about, None)) is not None:
        return _told_row(item, report, about, told)
    if isinstance(raised, clock.CutShort):
        return _cut_short(item, report, about)
    raised = _breach_behind(raised, about)
    found = _verdict(item, report, raised, about)
    if found is not None and found.breach is not None and found.kind == "broken":
        return _breach_row(item, found, found.breach, report, about, run_script)
    if found is not None and found.departure is not None and found.breach is not None:
        script = script_for_report(found.departure, found.breach)
        known = {"finding": found.departure.finding, "script": script}
        return _row(item, report, about, found.kind, reason=found.reason, **known)
    if found is not None:
        if isinstance(raised, (Breach, *NO_INPUT)):
            _skip(item, report, f"{found.kind}: {found.reason}")
        return _row(item, report, about, found.kind, reason=found.reason, advisory=found.advisory)
    if report.failed:
        return _row(item, report, about, "error", reason=_first_line(raised))
    if report.skipped:
        return _row(item, report, about, "skipped", reason=_first_line(raised))
    return None


def _breach_behind(raised: BaseException | None, about: Key) -> BaseException | None:
    """Return the breach that a case without end, or a node that changes by itself, stands for."""
    if not isinstance(raised, Expired | Flaky):
        return raised
    law, subject = law_named(about[0]), subject_named(about[1])
    if isinstance(raised, Expired):
        return stopped(law, subject, raised)
    return found_so_far(law, subject) or raised


def _verdict(
    item: pytest.Item, report: pytest.TestReport, raised: BaseException | None, about: Key
) -> Verdict | None:
    """Return the verdict of a law if this phase of its test decides one."""
    if about in replayed:
        return replayed.pop(about)
    if isinstance(raised, Breach):
        return verdict(raised.law, raised.subject, lambda: raised)
    law, name = law_named(about[0]), about[1]
    if isinstance(raised, Unsatisfiable) and (found := all_known(law, subject_named(name))):
        return found
    if isinstance(raised, NO_INPUT) and subject_named(name).users is not None:
        return Verdict(law, subject_named(name), "skipped", no_input(law, subject_named(name)))
    if (stood := item.stash.get(OBSTACLE, None)) is not None and report.skipped:
        return Verdict(law, subject_named(name), stood.verdict, stood.reason)
    if raised is None and report.when == "call" and not about[2]:
        return held(law, subject_named(name))
    return None


def _told_row(item: pytest.Item, report: pytest.TestReport, about: Key, told: Told) -> Row:
    """Report a law that ran in a child process."""
    if told.kind != "broken":
        if told.kind not in ("held", "stale-known", "error"):
            _skip(item, report, f"{told.kind}: {told.reason}")
        return _row(item, report, about, told.kind, reason=told.reason, advisory=told.advisory)
    show_failure(report, item, "\n\n".join([told.message, *told.messages]), told.difference)
    report.sections.append((f"standalone script: {told.answer}", told.script))
    if told.advisory:
        report.outcome = "skipped"
        report.wasxfail = f"advisory: {told.law} does not hold"
    known_update.send_told(item.config, report, told)
    more = {"key": told.witness["key"], "witness": told.witness, "script": told.script}
    more |= {"answer": told.answer, "marks": told.marks, "difference": told.difference}
    more |= {"behind": told.behind, "reason": told.reason}
    return _row(item, report, about, "broken", advisory=told.advisory, **more)


def _cut_short(item: pytest.Item, report: pytest.TestReport, about: Key) -> Row:
    """Report the examples on which a law held before the time was up."""
    examples = held_examples[about[:2]]
    if examples:
        report.outcome, report.longrepr = "passed", None
        reason = f"{clock.reason} after {examples} cases"
        return _row(item, report, about, "held", reason=reason)
    reason = f"not run: {clock.reason}"
    report.longrepr = (str(item.path), item.location[1] or 0, reason)
    return _row(item, report, about, "not run", reason=clock.reason)


def error_row(
    item: pytest.Item, report: pytest.TestReport, about: Key, raised: BaseException
) -> Row:
    """Return the row of a law whose report could not be made, and fail its test.

    Args:
        item: the test.
        report: the pytest report of the phase, which is changed.
        about: the law's id, the subject and the known departure.
        raised: the error.
    """
    reason = f"the report of {about[0]} for {about[1]} failed: {_first_line(raised)}"
    report.outcome, report.longrepr = "failed", reason
    return _row(item, report, about, "error", reason=reason)


def _first_line(raised: BaseException | None) -> str:
    name = type(raised).__name__
    text = "" if raised is None else first_line(raised)
    return text if isinstance(raised, pytest.skip.Exception) else f"{name}: {text}"


def _skip(item: pytest.Item, report: pytest.TestReport, reason: str) -> None:
    report.outcome = "skipped"
    report.longrepr = (str(item.path), item.location[1] or 0, reason)


def _breach_row(
    item: pytest.Item,
    found: Verdict,
    breach: Breach,
    report: pytest.TestReport,
    about: Key,
    run_script: bool,
) -> Row:
    run_script = run_script and not found.advisory
    shown = offer(breach, run_script=run_script)
    others = [(offer(one, run_script=run_script), one) for one in _behind(item, breach)]
    text = "\n\n".join([str(shown.breach), *(behind.message(one) for one, _ in others)])
    show_failure(report, item, text, shown.breach.difference)
    report.sections.append((f"standalone script: {shown.answer}", shown.script))
    if found.advisory:
        report.outcome = "skipped"
        report.wasxfail = f"advisory: {found.law.id} does not hold"
    pairs = [(shown.breach, breach), *((one.breach, other) for one, other in others)]
    known_update.send(item.config, report, *pairs)
    witness = witness_of(shown.breach)
    return _row(
        item,
        report,
        about,
        "broken",
        advisory=found.advisory,
        difference=shown.breach.difference.strip("\n"),
        key=witness.key,
        witness=witness.content(),
        script=shown.script,
        answer=shown.answer,
        marks=marks(breach),
        behind=[behind.content(one) for one, _ in others],
    )


def _behind(item: pytest.Item, first: Breach) -> list[Breach]:
    """Return the breaches behind the first, those that are found before the time is up."""
    start = item.config.getoption("hypothesis_seed", None)
    found: list[Breach] = []
    try:
        with time_limit.limited(clock.left(), lambda _: clock.CutShort(clock.reason)):
            for one in behind.behind(first, start=None if start is None else seed_of(str(start))):
                found.append(one)  # noqa: PERF402
    except clock.CutShort:
        # It may have been shrinking one.
        found.extend(filter(None, [found_so_far(first.law, first.subject)]))
    return found


def _row(
    item: pytest.Item,
    report: pytest.TestReport,
    about: Key,
    verdict: str,
    **more: Any,
) -> Row:
    law, subject, departure = about
    held = held_examples.pop((law, subject), 0)
    examples = 0 if departure or verdict == "known" else held
    row = Row(law, subject, verdict, departure, examples=examples, seconds=report.duration, **more)
    _attach(item, report, row, law_named(law))
    return row


def _attach(item: pytest.Item, report: pytest.TestReport, row: Row, law: Law) -> None:
    """Send a row along with the pytest report: the whole row, and the part for JUnit files."""
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
    # pytest writes the properties of the item, as of the last phase, to JUnit files.
    item.user_properties += [(name, value) for name, value in shown.items() if value != ""]
    report.user_properties.append((ROW, json.dumps(row.content())))
