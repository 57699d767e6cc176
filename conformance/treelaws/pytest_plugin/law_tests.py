"""From laws to pytest tests: `TestFilter = law_tests(filtering)`."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import hypothesis
import pytest
from hypothesis import given, seed, strategies as st
from hypothesis.errors import HypothesisException

from treelaws.core.departures import known
from treelaws.core.examples import profiles
from treelaws.core.law import Law
from treelaws.core.limits import time_limit
from treelaws.core.search import hunt
from treelaws.core.subject import Subject
from treelaws.core.verdict import Verdict, verdict
from treelaws.laws import all_laws, law_named
from treelaws.pytest_plugin import selection
from treelaws.pytest_plugin.time import clock, needs
from treelaws.subjects.registry import subject as subject_named, subjects as registered


class StaleKnown(pytest.fail.Exception):
    """A known departure is stale: its witness no longer breaks its law as recorded."""


# Number of cases on which a law held since its test began, by law and subject.
held_examples: Counter[tuple[str, str]] = Counter()
example_clocks: dict[tuple[str, str], clock.Examples] = {}
# Verdicts of replayed witnesses, by law, subject and known departure, until they are reported.
replayed: dict[tuple[str, str, str], Verdict] = {}


def law_tests(*modules: ModuleType, subjects: Sequence[str] | None = None) -> type:
    """Return the test class of the laws in one or more modules: a test per law and subject.

    Args:
        modules: modules of laws, or packages, which get a nested class per module.
        subjects: names of the subjects; default every registered one that the laws apply to.

    Raises:
        ValueError: a module defines no law.
        pytest.exit.Exception: a subject is not registered, or cannot be loaded.
    """
    try:
        chosen = registered() if subjects is None else [subject_named(name) for name in subjects]
    except LookupError as raised:
        # An error raised while pytest collects a file would come with a traceback.
        pytest.exit(str(raised.args[0]), returncode=pytest.ExitCode.USAGE_ERROR)
    tests: dict[str, Any] = {}
    for module in modules:
        tests.update(_tests(module, chosen))
    return type("LawTests", (), tests)


def _tests(module: ModuleType, chosen: Sequence[Subject]) -> dict[str, Any]:
    """Return the tests of a module by name, or a class of tests per module of a package."""
    if hasattr(module, "__path__"):
        names = [found.name for found in pkgutil.iter_modules(module.__path__)]
        files = {name: f"{module.__name__}.{name}" for name in names if not name.startswith("_")}
        tests = {
            name: _tests(importlib.import_module(file), chosen) for name, file in files.items()
        }
        return {f"Test{_camel(name)}": type(name, (), found) for name, found in tests.items()}
    laws = [value for value in vars(module).values() if isinstance(value, Law)]
    own = [law for law in laws if law.check.__module__ == module.__name__]
    if not own:
        raise ValueError(f"{module.__name__} defines no law; decorate one with a Topic")
    made = {f"test_{law.name}": _test(law, chosen) for law in own}
    return {name: test for name, test in made.items() if test}


def _camel(name: str) -> str:
    return "".join(map(str.capitalize, name.split("_")))


def _test(law: Law, chosen: Sequence[Subject]) -> Callable[..., None] | None:
    """Return the test of a law; `None` if the run asks for none of its subjects."""
    about = [found.name for found in chosen if found.family == law.topic.family]
    names = [name for name in about if selection.early.takes(law.id, name)]
    if about and not names:
        return None

    taken = [found for found in chosen if found.name in names]
    examples = max((profiles.examples_of(law, found) for found in taken), default=None)
    test = search_test(law, profiles.settings_for(examples=examples, regions=_has_regions(law)))
    test.__name__ = f"test_{law.name}"
    test.__doc__ = law.statement
    marked = pytest.mark.parametrize("subject", names, ids=names)(test)
    # Without subjects there is nothing to report: pytest skips a test without parameters.
    return pytest.mark.law(law.id)(marked) if names else marked


def search_test(
    law: Law, options: hypothesis.settings, *, start: int | str | None = None
) -> Callable[..., None]:
    """Return the test that searches for a breach of a law on a subject.

    Args:
        law: the law.
        options: settings of the search.
        start: seed of the search; default one that Hypothesis chooses.
    """

    @given(data=st.data())
    def test(self: object, subject: str, data: st.DataObject) -> None:
        found = subject_named(subject)
        examples = example_clocks.setdefault((law.id, subject), clock.Examples())
        with time_limit.limited(clock.left(), lambda _: clock.CutShort(clock.reason)):
            recipe = data.draw(law.strategy(found), label="recipe")
        # After the draw: Hypothesis reports a test that draws nothing as flaky.
        with examples.one(passes=HypothesisException):
            hunt(law, found, recipe)
        held_examples[law.id, subject] += 1
        if clock.runs():
            needs.note((law.id, subject), recipe.features)

    # `seed` sets the database to none; the settings have it.
    return options(test if start is None else seed(start)(test))


def _has_regions(law: Law) -> bool:
    return bool(known.applying(law.id))


def witnesses() -> list[Any]:
    """Return the parameters of the test that replays the selected known departures."""
    return [
        pytest.param(one, id=one.name, marks=pytest.mark.law(one.law))
        for found in known.departures()
        if found.applies
        for one in known.concrete(found, all_laws(), [one.name for one in registered()])
        if selection.early.takes(one.law, one.subject)
    ]


def replay(departure: known.Departure, subject: Subject | None = None) -> None:
    """Fail unless the witness of a known departure still breaks its law.

    Args:
        departure: the known departure.
        subject: the subject to run its witness on; default the registered one that it names.

    Raises:
        StaleKnown: the law holds, or raises another error than the one recorded. If a library was
            built from source and the law holds, the test is skipped instead.
    """
    law, subject = law_named(departure.law), subject or subject_named(departure.subject)
    found = verdict(law, subject, lambda: None, departure=departure)
    replayed[law.id, subject.name, departure.name] = found
    if found.kind == "skipped" or (found.kind == "stale-known" and found.advisory):
        pytest.skip(found.reason)
    if found.kind == "stale-known":
        raise StaleKnown(found.reason, pytrace=False)
