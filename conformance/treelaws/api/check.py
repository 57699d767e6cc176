"""`check`: the laws on one subject without pytest, as records."""

from __future__ import annotations

import dataclasses
import functools
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from treelaws.core import settings
from treelaws.core.failure import Breach
from treelaws.core.law import Law
from treelaws.core.profiles import settings_for
from treelaws.core.search import search
from treelaws.core.subject import Subject
from treelaws.core.verdict import Verdict, verdict
from treelaws.findings import for_calls
from treelaws.findings.for_calls import Files
from treelaws.laws import law_named
from treelaws.reproduce.script import offer
from treelaws.reproduce.witness import Witness, witness_of
from treelaws.subjects.user import mixtures, subject_of

from .choosing import matching_laws

ANSWERS = ("raise", "warn", "return")


class ConformanceError(AssertionError):
    """A subject breaks laws; the text is the report of the first and the names of the others.

    Args:
        records: all of them, those of laws that hold included.
    """

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = records
        first, *others = [one for one in records if one.fails]
        names = [f"{one.law} is {one.verdict} for {one.subject}" for one in others]
        super().__init__("\n".join([first.message, *names]))


class ConformanceWarning(UserWarning):
    """A subject breaks laws."""


@dataclasses.dataclass(frozen=True)
class Record:
    """What became of a law on a subject.

    Args:
        law: its id.
        subject: name of the subject.
        verdict: `"held"`, `"broken"`, `"blocked"`, `"known"`, `"skipped"`, or `"stale-known"` for a
            known departure whose witness breaks its law no longer.
        advisory: whether a breach fails nothing.
        message: the report of a breach; the reason of any other verdict; empty where the law held.
        witness: the input that broke it; `None` where nothing broke.
        script: a file that shows the breach without this package; empty where nothing broke.
    """

    law: str
    subject: str
    verdict: str
    advisory: bool = False
    message: str = ""
    witness: Witness | None = None
    script: str = ""

    @property
    def fails(self) -> bool:
        """Whether it makes a check fail."""
        return self.verdict in ("broken", "stale-known") and not self.advisory


def check(
    subject: Any,
    *,
    instances: Any = None,
    name: str = "",
    laws: str | Sequence[str] = "*",
    level: str = "observed",
    profile: str = "quick",
    mixed: bool = True,
    on_broken: str = "raise",
    known: Files = (),
) -> list[Record]:
    """Try the laws on a node class or a library.

    Args:
        subject: a class whose instances are PyTree nodes, a list of such instances, a function
            without arguments that makes one, a library, or a `Subject`.
        instances: how instances of a class are made, where its type hints do not say so: a function
            without arguments, a list, or a Hypothesis strategy of instances or recipes.
        name: what it is called in records; default `package.module:object` where that can be
            imported.
        laws: id or pattern of laws, or several; default every law.
        level: laws of this level and stricter, one of `"must"`, `"should"`, `"observed"`; default
            all.
        profile: how many examples, one of `"quick"`, `"default"`, `"ci"`, `"thorough"`.
        mixed: try the laws of JAX, Equinox and NNX on trees that hold such nodes; default `True`.
        on_broken: `"raise"`, `"warn"` or `"return"`; default `"raise"`.
        known: files of known departures, which count for this call alone; default none.

    Returns:
        A record for each law and subject, laws of nodes first.

    Raises:
        ConformanceError: a law that is not advisory is broken, and `on_broken` is `"raise"`.
        ValueError: an option or a law has no such name, or a file of known departures is malformed.
        LookupError: no subject can be made of what is given.
    """
    for option, value, allowed in (
        ("level", level, settings.LEVELS),
        ("profile", profile, settings.PROFILES),
        ("on_broken", on_broken, ANSWERS),
    ):
        if value not in allowed:
            raise ValueError(f"{option}={value!r} does not exist; choose from {', '.join(allowed)}")
    made = subject_of(subject, name=name, instances=instances)
    wanted = matching_laws([laws] if isinstance(laws, str) else laws, level)
    under_test = [made, *(mixtures.mixtures(made) if mixed else ())]
    with for_calls.for_this_call(known, under_test):
        records = [record for one in under_test for record in _records(wanted, one, profile)]
    if any(one.fails for one in records) and on_broken != "return":
        broken = ConformanceError(records)
        if on_broken == "raise":
            raise broken
        warnings.warn(str(broken), ConformanceWarning, stacklevel=2)
    return records


def _records(laws: Sequence[Law], subject: Subject, profile: str) -> Iterator[Record]:
    """Run the laws of the subject's family, parents before their children, flatten first."""
    own = [law for law in laws if law.topic.family == subject.family]
    own.sort(key=lambda law: (len(law.ancestors), law.topic.id != "node.flatten"))
    searched: dict[Law, Breach | None] = {}
    with warnings.catch_warnings():
        # A library may deprecate what a law is about.
        warnings.simplefilter("ignore")
        for law in own:
            found = _verdict(law, subject, profile, searched)
            # Running a script takes seconds; the first shows what there is to see.
            run_script = not any(searched.values()) and not law.advisory
            if found.kind == "held" or found.breach is not None:
                searched[law] = found.breach
            yield _record(found, run_script=run_script)
    for departure in for_calls.of_subject(subject, own):
        law = law_named(departure.law)
        yield _record(verdict(law, subject, lambda: None, departure=departure), run_script=False)


def _verdict(
    law: Law, subject: Subject, profile: str, searched: Mapping[Law, Breach | None]
) -> Verdict:
    # What a broken parent explains is not reported, so its input need not be small.
    blocked = any(searched.get(parent) for parent in law.ancestors)
    examples = settings_for(profile, law.weight).max_examples
    find_breach = functools.partial(search, law, subject, examples=examples, shrink=not blocked)
    return verdict(law, subject, find_breach, searched=searched)


def _record(found: Verdict, *, run_script: bool) -> Record:
    law, subject = found.law.id, found.subject.name
    if found.breach is None:
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
    )
