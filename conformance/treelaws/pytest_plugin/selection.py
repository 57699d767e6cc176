"""`--laws`, `--subject` and `--level`: check their values, and select tests by them."""

from __future__ import annotations

import fnmatch

import pytest

from treelaws.core import settings

from .items import subject_of


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


def split(
    config: pytest.Config, items: list[pytest.Item]
) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the tests that stay selected, and the others; tests that are not of laws stay.

    Args:
        config: of the run.
        items: all tests.
    """
    patterns, references = _asked(config)
    level, names = config.getoption("level"), _names(references) if references else None
    if not (patterns or level or references):
        return items, []
    kept: list[pytest.Item] = []
    dropped: list[pytest.Item] = []
    for item in items:
        wanted = _is_wanted(item, patterns, level, names)
        (kept if wanted else dropped).append(item)
    return kept, dropped


def _is_wanted(
    item: pytest.Item, patterns: list[str], level: str | None, names: set[str] | None
) -> bool:
    marker = item.get_closest_marker("law")
    if marker is None:
        return True
    from treelaws.laws import law_named

    found = law_named(marker.args[0])
    if patterns and not any(fnmatch.fnmatchcase(found.id, pattern) for pattern in patterns):
        return False
    if level and settings.LEVELS.index(found.level) > settings.LEVELS.index(level):
        return False
    return names is None or subject_of(item) in names


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
