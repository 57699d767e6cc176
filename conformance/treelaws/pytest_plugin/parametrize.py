"""`parametrize()` runs a user's test once for each law on a subject."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from treelaws.api import children
from treelaws.api.choosing import matching_laws
from treelaws.core import settings
from treelaws.core.departures.departure import Departure
from treelaws.core.examples.profiles import examples_of
from treelaws.core.law import Law
from treelaws.core.stopped import NoInput
from treelaws.core.subject import Subject
from treelaws.draws.drawn_recipes import DrawnRecipes
from treelaws.draws.holding import find_breach
from treelaws.findings import for_calls
from treelaws.findings.for_calls import Files
from treelaws.laws import law_named
from treelaws.subjects.registry import register_all
from treelaws.subjects.user import mixtures

from . import confined
from .law_tests import held_examples, replay

# Lists of recipes; the laws of a topic have fewer.
_MOST_KEPT = 16


@dataclasses.dataclass(frozen=True)
class LawRun:
    """A law on a subject; calling it runs the law.

    Args:
        law: the law.
        subject: the subject to run it on.
        departure: the known departure whose witness is replayed instead; default none.
        drawn: recipes that laws of the subject share; default none yet.
    """

    law: Law
    subject: Subject
    departure: Departure | None = None
    drawn: DrawnRecipes = dataclasses.field(default_factory=DrawnRecipes, compare=False)

    def __call__(self) -> None:
        """Search for a breach.

        Raises:
            Breach: the law is broken; the message is the report.
            StaleKnown: the witness of the known departure no longer breaks it.
            pytest.skip.Exception: almost no input of the law can be made of the node type.
            pytest.fail.Exception: the law is broken, and ran in a child process.
        """
        if children.has_hazard(self.subject):
            confined.run(self.law, self.subject, self.departure)
            return
        if self.departure is not None:
            replay(self.departure, self.subject)
            return
        profile = settings.profile
        try:
            breach = find_breach(self.law, self.subject, self.drawn, profile=profile, shrink=True)
        except NoInput as raised:
            pytest.skip(str(raised))
        if breach is not None:
            raise breach
        examples = examples_of(self.law, self.subject, profile=profile)
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
    """Return a decorator that turns a function of `law` into one test per law.

        @treelaws.parametrize(Box)
        def test_box(law):
            law()

    Args:
        subject: what `treelaws.check` takes: a class whose instances are PyTree nodes, a function
            without arguments that returns one, a list of classes or of instances, a module, a
            library, or a `Subject`. Of several classes, the ids of tests name the class.
        instances: how to create instances of one class if its type hints do not say so.
        name: the name of one subject in reports; default `package.module:object` if that can be
            imported.
        laws: one or more ids or patterns of laws; default every law.
        level: run laws of this level and stricter, one of `"must"`, `"should"`, `"observed"`;
            default all.
        mixed: also run the laws of JAX, Equinox and NNX on trees that hold such nodes; default
            `True`.
        known: files of known departures, as for `--known`; default none. Each departure that
            applies to the subject adds a test `known NAME`.

    Raises:
        ValueError: a law does not exist, or a file of known departures is malformed.
        LookupError: `subject` is nothing that laws can run on.
    """
    for_calls.add(known)
    made = register_all(subject, name=name, instances=instances)
    wanted = matching_laws([laws] if isinstance(laws, str) else laws, level)
    several = len(made.subjects) + len(made.untried) > 1
    params = [
        param
        for one in made.subjects
        for param in _of_subject(one, wanted, f" of {one.name}" * several, mixed=mixed)
    ]
    # A class of a module that cannot be tried.
    params += [
        pytest.param(None, id=f"any law of {one}", marks=pytest.mark.skip(reason=why))
        for one, why in made.untried.items()
    ]
    return pytest.mark.parametrize("law", params)


def _of_subject(made: Subject, wanted: Sequence[Law], suffix: str, *, mixed: bool) -> list[Any]:
    """Return the parameters of a subject: its laws, then its known departures."""
    params: list[Any] = []
    replays: list[Any] = []
    for one in (made, *(mixtures.mixtures(made) if mixed else ())):
        drawn = DrawnRecipes(_MOST_KEPT)
        for law in wanted:
            if law.topic.family == one.family:
                label = f"{law.id}{suffix}" if one is made else f"{law.id} in {one.base}{suffix}"
                law_run, marks = LawRun(law, one, drawn=drawn), pytest.mark.law(law.id)
                params.append(pytest.param(law_run, id=label, marks=marks))
        for found in for_calls.of_subject(one, wanted):
            law_run = LawRun(law_named(found.law), one, found)
            marks = pytest.mark.law(found.law)
            label = f"known {found.name}{suffix}"
            replays.append(pytest.param(law_run, id=label, marks=marks))
    return [*params, *replays]
