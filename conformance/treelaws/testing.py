"""From laws to pytest tests: `TestFilter = law_tests(filtering)`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, strategies as st
from hypothesis.errors import HypothesisException

from . import compat, fitted, known, profiles
from .budget import clock, needs
from .failure import Breach
from .known_files.lines import lines_of
from .law import Law, law_named
from .running import hunt, run
from .subjects import Subject, subject as subject_named, subjects as registered


class StaleKnown(pytest.fail.Exception):
    """A known departure is out of date: its witness no longer breaks its law as recorded."""


# Cases on which a law held, by law and subject, since its test began.
held: Counter[tuple[str, str]] = Counter()
tried: dict[tuple[str, str], clock.Examples] = {}


def law_tests(*modules: ModuleType, subjects: Sequence[str] | None = None) -> type:
    """Derive the test class of the laws in one or more modules: one test a law and subject.

    Args:
        modules: files of `treelaws.laws`.
        subjects: names of the subjects to try; default every registered one that the laws are for.

    Raises:
        ValueError: a module defines no law.
        pytest.exit.Exception: a subject is not registered, or cannot be loaded.
    """
    try:
        chosen = registered() if subjects is None else [subject_named(name) for name in subjects]
    except LookupError as raised:
        # In the middle of collecting a file, where an error would come with a traceback.
        pytest.exit(str(raised.args[0]), returncode=pytest.ExitCode.USAGE_ERROR)
    tests: dict[str, Any] = {}
    for module in modules:
        laws = [value for value in vars(module).values() if isinstance(value, Law)]
        own = [law for law in laws if law.check.__module__ == module.__name__]
        if not own:
            raise ValueError(f"{module.__name__} defines no law; decorate one with a Topic")
        tests.update({f"test_{law.name}": _test(law, chosen) for law in own})
    return type("LawTests", (), tests)


def _test(law: Law, chosen: Sequence[Subject]) -> Callable[..., None]:
    @profiles.settings_for(weight=law.weight)
    @given(data=st.data())
    def test(self: object, subject: str, data: st.DataObject) -> None:
        found = subject_named(subject)
        examples = tried.setdefault((law.id, subject), clock.Examples())
        recipe = data.draw(law.strategy(found), label="recipe")
        # Behind the draw: Hypothesis takes a test that draws nothing for one with luck in it.
        with examples.one(passes=HypothesisException):
            hunt(law, found, recipe)
        held[law.id, subject] += 1
        if clock.runs():
            needs.note((law.id, subject), recipe.features)

    test.__name__ = f"test_{law.name}"
    test.__doc__ = law.statement
    names = [found.name for found in chosen if found.family == law.topic.family]
    marked = pytest.mark.parametrize("subject", names, ids=names)(test)
    # Without subjects there is nothing to report on: pytest skips what has no parameters.
    return pytest.mark.law(law.id)(marked) if names else marked


def obstacle(
    law: Law, subject: Subject, departure: known.Departure | None = None
) -> tuple[str, str] | None:
    """Tell why a law cannot be tried on a subject: the verdict and the reason; else `None`.

    Asked when a test is set up, not when it is collected, so that no library is imported whose
    tests were not chosen.

    Args:
        law: the law.
        subject: what to try it on.
        departure: the known departure whose witness is to be replayed, if that is the test.
    """
    if subject.absent:
        return "skipped", subject.absent
    if missing := subject.missing(law.needs):
        return "skipped", f"{subject.name} does not claim {', '.join(missing)}"
    if departure is None and (name := known.covering_every_case((law, *law.ancestors), subject)):
        return "known", f"the known departure {name} covers every case; its witness is replayed"
    if departure is None and (reason := fitted.obstacle(law, subject)):
        return "skipped", reason
    if subject.guest is not None:
        from .third_party import mixing

        return mixing.obstacle(law, subject)
    return None


def witnesses() -> list[Any]:
    """Give the parameters of the test that replays known departures under these versions."""
    return [
        pytest.param(found, id=found.name, marks=pytest.mark.law(found.law))
        for found in known.departures()
        if found.applies
    ]


def replay(departure: known.Departure, subject: Subject | None = None) -> None:
    """Demand that the witness of a known departure still breaks its law.

    Args:
        departure: it.
        subject: what to try its witness on; default the registered subject that it names.

    Raises:
        StaleKnown: it does not, or it meets another error than the one recorded. Where a library
            was built from source, a witness that no longer fails is skipped instead.
    """
    law, subject = law_named(departure.law), subject or subject_named(departure.subject)
    try:
        run(law, subject, departure.recipe)
    except Breach as breach:
        error = type(breach.cause).__name__
        if error != (departure.raises or "LawBroken"):
            place = f"{departure.file}: [{departure.name}]"
            message = f"{place} wants raises = {departure.raises!r}, got {breach}"
            raise StaleKnown(message, pytrace=False) from None
        return
    versions = ", ".join(f"{name} {compat.version(name)}" for name in departure.versions)
    outdated = f"its witness no longer breaks {law.id} for {subject.name} with {versions}"
    stale = f"{_lines(departure)}: delete [{departure.name}]; {outdated}"
    if any(map(compat.built_from_source, departure.versions)):
        # The next release still goes by the number of the last one.
        pytest.skip(f"{stale}, built from source; the next release will mend it")
    raise StaleKnown(
        f"{stale}; where other releases still break it, narrow `versions`", pytrace=False
    )


def _lines(departure: known.Departure) -> str:
    """Name the file of a departure and its lines there, as it stands now."""
    path = Path(departure.file)
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    found = lines_of(text, departure.name)
    return f"{path}:{found[0]}-{found[1]}" if found else departure.file
