"""`check()` runs the laws on one subject without pytest and returns records."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from typing import Any

from treelaws.core import settings
from treelaws.core.limits import time_limit
from treelaws.findings import for_calls
from treelaws.findings.for_calls import Files
from treelaws.subjects.user import mixtures, subjects_of

from .choosing import matching_laws
from .deciding import decided
from .recording import records_of
from .records import ConformanceError, ConformanceWarning, Record

ANSWERS = ("raise", "warn", "return")


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
    max_time: float = math.inf,
    case_time: float = settings.case_seconds,
) -> list[Record]:
    """Run the laws on node classes or a library.

    Args:
        subject: a class whose instances are PyTree nodes, a function without arguments that returns
            an instance, a library, a `Subject`, a list of classes or of instances, or a module,
            which stands for each node class that it defines, without those that it imports.
        instances: how to create instances of one class if its type hints do not say so: a function
            without arguments, a list, or a Hypothesis strategy of instances or recipes.
        name: the name of one subject in records; default `package.module:object` if that can be
            imported.
        laws: one or more ids or patterns of laws; default every law.
        level: run laws of this level and stricter, one of `"must"`, `"should"`, `"observed"`;
            default all.
        profile: number of examples, one of `"quick"`, `"default"`, `"ci"`, `"thorough"`.
        mixed: also run the laws of JAX, Equinox and NNX on trees that hold such nodes; default
            `True`.
        on_broken: `"raise"`, `"warn"` or `"return"`; default `"raise"`.
        known: files of known departures, for this call only; default none.
        max_time: stop after this many seconds, above 0; default none. Laws that did not run have
            a record `"not run"`.
        case_time: time limit of one input of a law in seconds, above 0; default 60. A law whose
            input does not end is broken. Nothing is stopped on Windows, or in another thread than
            the main one; there, `max_time` only starts no further law.

    Returns:
        A record for each law and subject, laws of nodes first; then one with the law `"*"` for
        each class of a module that cannot be tried.

    Raises:
        ConformanceError: a law is broken that is not advisory, and `on_broken` is `"raise"`.
        ValueError: an option or a law does not exist, or a file of known departures is malformed.
        LookupError: `subject` is nothing that laws can run on.
    """
    for option, value, allowed in (
        ("level", level, settings.LEVELS),
        ("profile", profile, settings.PROFILES),
        ("on_broken", on_broken, ANSWERS),
    ):
        if value not in allowed:
            raise ValueError(f"{option}={value!r} does not exist; choose from {', '.join(allowed)}")
    until = time.monotonic() + (
        max_time if max_time == math.inf else _seconds("max_time", max_time)
    )
    with time_limit.case_seconds(_seconds("case_time", case_time)):
        several = subjects_of(subject, name=name, instances=instances)
        wanted = matching_laws([laws] if isinstance(laws, str) else laws, level)
        found = several.subjects
        hosts = [one for guest in found for one in (mixtures.mixtures(guest) if mixed else ())]
        under_test = [*found, *hosts]
        with for_calls.for_this_call(known, under_test):
            verdicts = [
                one for other in under_test for one in decided(wanted, other, profile, until)
            ]
            records = records_of(verdicts, until)
    records += [Record("*", one, "skipped", message=why) for one, why in several.untried.items()]
    if any(one.fails for one in records) and on_broken != "return":
        broken = ConformanceError(records)
        if on_broken == "raise":
            raise broken
        warnings.warn(str(broken), ConformanceWarning, stacklevel=2)
    return records


def _seconds(option: str, value: float) -> float:
    try:
        return time_limit.seconds_from(value)
    except ValueError as raised:
        raise ValueError(f"{option}: {raised}") from None
