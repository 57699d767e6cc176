"""`check`: the laws on one subject without pytest, as records."""

from __future__ import annotations

import dataclasses
import difflib
import fnmatch
import functools
import inspect
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from . import chosen
from .failure import Breach
from .known_files import calls
from .known_files.calls import Files
from .known_files.departure import Departure
from .law import Law, all_laws
from .profiles import settings_for
from .running import broken_by_host, search
from .scripts import offer
from .subjects import Subject
from .testing import StaleKnown, obstacle, replay
from .third_party import mixing, subject_of
from .witnesses import Witness, witness_of

ANSWERS = ("raise", "warn", "return")


class Broken(AssertionError):
    """A subject breaks laws; the text is the report of the first and the names of the others.

    Args:
        records: all of them, those of laws that hold included.
    """

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = records
        first, *others = [one for one in records if one.fails]
        names = [f"{one.law} is {one.verdict} for {one.subject}" for one in others]
        super().__init__("\n".join([first.message, *names]))


class BrokenWarning(UserWarning):
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
        Broken: a law that is not advisory is broken, and `on_broken` is `"raise"`.
        ValueError: an option or a law has no such name, or a file of known departures is malformed.
        LookupError: no subject can be made of what is given.
    """
    for option, value, allowed in (
        ("level", level, chosen.LEVELS),
        ("profile", profile, chosen.PROFILES),
        ("on_broken", on_broken, ANSWERS),
    ):
        if value not in allowed:
            raise ValueError(f"{option}={value!r} does not exist; choose from {', '.join(allowed)}")
    made = subject_of(subject, name=name, instances=instances)
    wanted = named([laws] if isinstance(laws, str) else laws, level)
    tried = [made, *(mixing.mixtures(made) if mixed else ())]
    with calls.for_this_call(known, tried):
        records = [record for one in tried for record in _records(wanted, one, profile)]
    if any(one.fails for one in records) and on_broken != "return":
        broken = Broken(records)
        if on_broken == "raise":
            raise broken
        warnings.warn(str(broken), BrokenWarning, stacklevel=2)
    return records


def named(patterns: Sequence[str], level: str) -> list[Law]:
    """Give the laws of these ids or patterns and of this level or stricter.

    Raises:
        ValueError: a pattern names no law.
    """
    laws = all_laws()
    for pattern in patterns:
        if not fnmatch.filter(laws, pattern):
            close = difflib.get_close_matches(pattern, laws, n=3, cutoff=0.4)
            hint = f"did you mean {' or '.join(close)}? " if close else ""
            raise ValueError(
                f"no law is called {pattern!r}; {hint}`python -m treelaws laws` lists them"
            )
    rank = chosen.LEVELS.index
    return [
        law
        for law in laws.values()
        if any(fnmatch.fnmatchcase(law.id, pattern) for pattern in patterns)
        and rank(law.level) <= rank(level)
    ]


def _records(laws: Sequence[Law], subject: Subject, profile: str) -> Iterator[Record]:
    """Try the laws of the subject's family, parents before their children, flatten first."""
    own = [law for law in laws if law.topic.family == subject.family]
    own.sort(key=lambda law: (len(law.ancestors), law.topic.id != "node.flatten"))
    broken: dict[Law, Breach] = {}
    with warnings.catch_warnings():
        # A library may deprecate what a law is about.
        warnings.simplefilter("ignore")
        for law in own:
            yield _record(law, subject, profile, broken)
    for found in calls.of_subject(subject, own):
        yield _replayed(found, subject)


def _record(law: Law, subject: Subject, profile: str, broken: dict[Law, Breach]) -> Record:
    told = functools.partial(Record, law.id, subject.name)
    if found := obstacle(law, subject):
        return told(found[0], message=found[1])
    examples = settings_for(profile, law.weight).max_examples
    cause = next((parent for parent in law.ancestors if parent in broken), None)
    breach = search(law, subject, examples=examples, shrink=cause is None)
    if breach is None:
        return told("held")
    if cause is not None:
        return told("blocked", message=f"{cause.id} is broken for {subject.name}")
    if broken_by_host(law, subject):
        return told("blocked", message=f"{law.id} is broken for {subject.base}")
    # Running a script takes seconds; the first shows what there is to see.
    shown = offer(breach, tried=not broken and not law.advisory)
    broken[law] = breach
    message = f"{shown.breach}\n\nstandalone script, {shown.answer}:\n\n{shown.script}"
    return told(
        "broken",
        advisory=law.advisory,
        message=message,
        witness=witness_of(shown.breach),
        script=shown.script,
    )


def _replayed(departure: Departure, subject: Subject) -> Record:
    try:
        replay(departure, subject)
    except StaleKnown as stale:
        return Record(departure.law, subject.name, "stale-known", message=str(stale))
    return Record(departure.law, subject.name, "known", message=inspect.cleandoc(departure.reason))
