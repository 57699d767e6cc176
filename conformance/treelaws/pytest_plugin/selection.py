"""Options that select laws: check their values, and select tests by them."""

from __future__ import annotations

import dataclasses
import fnmatch

import pytest

from treelaws.core import settings

from .items import subject_of
from .libraries import homes


@dataclasses.dataclass(frozen=True)
class Selection:
    """Which tests of laws a run asks for.

    Args:
        patterns: of ids of laws; default all laws.
        level: the weakest level; default all levels.
        subjects: names of subjects; default all subjects.
        homes: parts of libraries that subjects belong to; default all of them.
    """

    patterns: tuple[str, ...] = ()
    level: str | None = None
    subjects: frozenset[str] | None = None
    homes: frozenset[str] | None = None

    def takes(self, law: str, subject: str) -> bool:
        """Return whether the run asks for the test of a law on a subject.

        Args:
            law: its id.
            subject: its name.
        """
        return self._takes_law(law) and self._takes_subject(subject)

    def _takes_law(self, id: str) -> bool:
        from treelaws.laws import law_named

        if self.patterns and not any(fnmatch.fnmatchcase(id, one) for one in self.patterns):
            return False
        rank = settings.LEVELS.index
        return self.level is None or rank(law_named(id).level) <= rank(self.level)

    def _takes_subject(self, name: str) -> bool:
        from treelaws.subjects.registry import subject

        if self.subjects is not None and name not in self.subjects:
            return False
        return self.homes is None or subject(name).home in self.homes


EVERYTHING = Selection()
# Tests of other laws and subjects are not even built, which would take seconds.
early = EVERYTHING


def refuse(config: pytest.Config, *, everything: bool) -> None:
    """Raise for an unknown law or subject, before a worker starts or a test is collected.

    Args:
        config: of the run.
        everything: whether the run targets the laws themselves, so that entry points are loaded.

    Raises:
        pytest.UsageError: an option or an entry point names an unknown law or subject.
    """
    laws, references = _asked(config)
    if laws or references or everything:
        _load_entry_points()
        _load_subjects(config, references)
        _check_laws(laws)


def take(config: pytest.Config) -> None:
    """Let files of laws build the selected tests only, unless the command line names tests.

    Args:
        config: of the run.
    """
    global early
    # pytest would report a test that is named and deselected as one that does not exist.
    early = EVERYTHING if any("::" in arg for arg in config.args) else _selection(config)


def split(
    config: pytest.Config, items: list[pytest.Item]
) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the tests that stay selected, and the others; tests that are not of laws stay.

    Args:
        config: of the run.
        items: all tests.
    """
    selection = _selection(config)
    if selection == EVERYTHING:
        return items, []
    kept: list[pytest.Item] = []
    dropped: list[pytest.Item] = []
    for item in items:
        marker = item.get_closest_marker("law")
        wanted = marker is None or selection.takes(marker.args[0], subject_of(item))
        (kept if wanted else dropped).append(item)
    return kept, dropped


def _selection(config: pytest.Config) -> Selection:
    patterns, references = _asked(config)
    libraries = config.getoption("library")
    return Selection(
        patterns=tuple(patterns),
        level=config.getoption("level"),
        subjects=frozenset(_names(references)) if references else None,
        homes=homes(libraries) if libraries else None,
    )


def _names(references: list[str]) -> set[str]:
    from treelaws.subjects import registry

    asked = [one for reference in references for one in registry.load_all(reference).subjects]
    # The laws of libraries also run on trees that hold a user's node type.
    mixed = [one for one in registry.subjects() if one.guest in asked]
    return {one.name for one in (*asked, *mixed)}


def _asked(config: pytest.Config) -> tuple[list[str], list[str]]:
    return config.getoption("laws") or [], config.getoption("subject") or []


def _load_entry_points() -> None:
    from treelaws import compat
    from treelaws.subjects import registry

    if compat.entry_points(registry.ENTRY_POINTS):
        try:
            registry.subjects()
        except LookupError as raised:
            raise pytest.UsageError(raised.args[0]) from raised


def _load_subjects(config: pytest.Config, references: list[str]) -> None:
    from treelaws.subjects import registry

    try:
        found = [registry.load_all(reference) for reference in references]
        for reason in (reason for one in found for reason in one.untried.values()):
            untried = pytest.PytestWarning(f"--subject: no law runs on {reason}")
            config.issue_config_time_warning(untried, stacklevel=2)
    except LookupError as raised:
        raise pytest.UsageError(f"--subject: {raised.args[0]}") from raised


def _check_laws(patterns: list[str]) -> None:
    from treelaws.api.choosing import matching_laws

    try:
        matching_laws(patterns, settings.LEVELS[-1])
    except ValueError as raised:
        raise pytest.UsageError(f"--laws: {raised}") from raised
