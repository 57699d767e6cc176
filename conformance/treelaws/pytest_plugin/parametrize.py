"""`parametrize`: a user's test, once for each law on a subject."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from treelaws.api.choosing import matching_laws
from treelaws.core import settings
from treelaws.core.departures.departure import Departure
from treelaws.core.law import Law
from treelaws.core.profiles import settings_for
from treelaws.core.search import search
from treelaws.core.subject import Subject
from treelaws.findings import for_calls
from treelaws.findings.for_calls import Files
from treelaws.laws import law_named
from treelaws.subjects.registry import register
from treelaws.subjects.user import mixtures

from .law_tests import held_examples, replay


@dataclasses.dataclass(frozen=True)
class LawRun:
    """A law on a subject; calling it tries the law.

    Args:
        law: the law.
        subject: what it is tried on.
        departure: the known departure whose witness is replayed instead; default none.
    """

    law: Law
    subject: Subject
    departure: Departure | None = None

    def __call__(self) -> None:
        """Search for a breach.

        Raises:
            Breach: the law is broken; its text is the report.
            StaleKnown: the known departure's witness breaks it no longer.
        """
        if self.departure is not None:
            replay(self.departure, self.subject)
            return
        examples = settings_for(settings.profile, self.law.weight).max_examples
        breach = search(self.law, self.subject, examples=examples, shrink=True)
        if breach is not None:
            raise breach
        held_examples[self.law.id, self.subject.name] += examples


def parametrize(
    subject: Any,
    *,
    instances: Any = None,
    name: str = "",
    laws: str | Sequence[str] = "*",
    level: str = "observed",
    mixed: bool = True,
    known: Files = (),
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make one test for each law of a function that takes `law` and calls it.

        @treelaws.parametrize(Box)
        def test_box(law):
            law()

    Args:
        subject: a class whose instances are PyTree nodes, a list of such instances, a function
            without arguments that makes one, a library, or a `Subject`.
        instances: how instances of a class are made, where its type hints do not say so.
        name: what it is called in reports; default `package.module:object` where that can be
            imported.
        laws: id or pattern of laws, or several; default every law.
        level: laws of this level and stricter, one of `"must"`, `"should"`, `"observed"`; default
            all.
        mixed: try the laws of JAX, Equinox and NNX on trees that hold such nodes; default `True`.
        known: files of known departures, which are read as by `--known`; default none. Each that
            applies to the subject is one more test, `known NAME`.

    Raises:
        ValueError: a law has no such name, or a file of known departures is malformed.
        LookupError: no subject can be made of what is given.
    """
    for_calls.add(known)
    made = register(subject, name=name, instances=instances)
    wanted = matching_laws([laws] if isinstance(laws, str) else laws, level)
    params: list[Any] = []
    replays: list[Any] = []
    for one in (made, *(mixtures.mixtures(made) if mixed else ())):
        for law in wanted:
            if law.topic.family == one.family:
                label = law.id if one is made else f"{law.id} in {one.base}"
                params.append(
                    pytest.param(LawRun(law, one), id=label, marks=pytest.mark.law(law.id))
                )
        for found in for_calls.of_subject(one, wanted):
            law_run = LawRun(law_named(found.law), one, found)
            marks = pytest.mark.law(found.law)
            replays.append(pytest.param(law_run, id=f"known {found.name}", marks=marks))
    return pytest.mark.parametrize("law", [*params, *replays])
