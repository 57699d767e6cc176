"""Turns the verdicts of `check()` into records, with a script for each defect."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from treelaws.children.told import Told
from treelaws.core import defects, settings
from treelaws.core.limits import time_limit
from treelaws.core.verdict import Verdict
from treelaws.laws import law_named
from treelaws.reproduce.script import offer
from treelaws.reproduce.witness import from_content, witness_of

from .deciding import undecided
from .records import Record

# Time limit of the report of a breach, which shrinks its input and runs its script.
_SCRIPT_SECONDS = 600.0


def records_of(decided: Sequence[Verdict | Told | Record], until: float) -> list[Record]:
    """Turn verdicts into records; of each defect, the script of the first law is run."""
    broken = [one for one in decided if not isinstance(one, Record) and one.fails and _broke(one)]
    groups = defects.grouped(broken, marks=_marks, rank=_rank)
    heads = {id(one): group[0] for group in groups for one in group}
    scripts = itertools.count()
    return [_of(one, heads.get(id(one)), until, scripts) for one in decided]


def _broke(found: Verdict | Told) -> bool:
    return found.kind == "broken" if isinstance(found, Told) else found.breach is not None


def _marks(found: Verdict | Told) -> Iterable[str]:
    if isinstance(found, Told):
        return found.marks
    assert found.breach is not None
    return defects.marks(found.breach)


def _rank(found: Verdict | Told) -> tuple[Any, ...]:
    return defects.rank(law_named(_place(found)[0]))


def _place(found: Verdict | Told) -> tuple[str, str]:
    """Return the law and the subject."""
    if isinstance(found, Told):
        return found.law, found.subject
    return found.law.id, found.subject.name


def _of(
    found: Verdict | Told | Record,
    head: Verdict | Told | None,
    until: float,
    scripts: Iterator[int],
) -> Record:
    if isinstance(found, Record):
        return found
    # A breach that never fails the check is not grouped.
    cause = None if head in (found, None) else _place(head or found)
    if isinstance(found, Verdict):
        run_script = time.monotonic() < until and cause is None and _broke(found)
        run_script = run_script and not found.advisory and next(scripts) < settings.most_scripts
        return _with_script(found, cause, run_script=run_script)
    return Record(
        found.law,
        found.subject,
        found.kind,
        advisory=found.advisory,
        message=told_in_full(found),
        witness=from_content(found.witness) if found.witness else None,
        script=found.script,
        cause=cause,
    )


def told_in_full(found: Told) -> str:
    """Return the report of a law that ran in a child process."""
    script = f"standalone script, {found.answer}:\n\n{found.script}"
    return f"{found.message}\n\n{script}" if found.message else found.reason


def _with_script(found: Verdict, cause: tuple[str, str] | None, *, run_script: bool) -> Record:
    """Return the record of a verdict; its script is not run if the time is up."""
    try:
        with time_limit.limited(_SCRIPT_SECONDS, time_limit.TimeUp):
            return _record(found, cause, run_script=run_script)
    except BaseException as raised:
        if time_limit.ends_the_run(raised) and not isinstance(raised, time_limit.TimeUp):
            raise
        # Its report runs the user's code again.
        return undecided(found.law, found.subject, raised)


def _record(found: Verdict, cause: tuple[str, str] | None, *, run_script: bool) -> Record:
    law, subject = _place(found)
    if found.breach is None or found.kind == "known":
        return Record(law, subject, found.kind, advisory=found.advisory, message=found.reason)
    shown = offer(found.breach, run_script=run_script)
    return Record(
        law,
        subject,
        found.kind,
        advisory=found.advisory,
        message=f"{shown.breach}\n\nstandalone script, {shown.answer}:\n\n{shown.script}",
        witness=witness_of(shown.breach),
        script=shown.script,
        cause=cause,
    )
