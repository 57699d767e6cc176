"""The pytest options of the suite, and their values."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from treelaws.core import settings
from treelaws.core.limits import time_limit


def add(parser: pytest.Parser) -> None:
    """Add the options of the suite to pytest."""
    group = parser.getgroup("treelaws", "conformance of PyTrees")
    group.addoption(
        "--laws",
        action="append",
        default=[],
        metavar="ID",
        help="run only laws with this id or pattern, such as 'equinox.filter.*'; repeatable",
    )
    group.addoption(
        "--subject",
        action="append",
        default=[],
        metavar="NAME",
        help="run only this subject: a name, a module for its node classes, or "
        "package.module:object for a node class, a function that returns an instance, a list of "
        "classes or instances, or a library; repeatable",
    )
    group.addoption(
        "--library",
        action="append",
        default=[],
        metavar="NAME",
        help=f"run only laws about this library: {', '.join(settings.LIBRARIES)}; repeatable",
    )
    group.addoption(
        "--allow-missing",
        action="append",
        default=[],
        metavar="NAME",
        help="do not fail if every law about this library is skipped, for example because it is "
        "not installed; repeatable",
    )
    group.addoption(
        "--level",
        metavar="LEVEL",
        help=f"run laws of this level and stricter: {', '.join(settings.LEVELS)}; default: all",
    )
    group.addoption(
        "--edition",
        metavar="EDITION",
        help="laws newer than this edition never fail the run; default: the newest edition",
    )
    group.addoption(
        "--laws-profile",
        metavar="PROFILE",
        default=settings.profile,
        help=f"number of examples: {', '.join(settings.PROFILES)}; default: {settings.profile}",
    )
    group.addoption(
        "--known",
        action="append",
        default=[],
        metavar="FILE",
        help="TOML file of further known departures; repeatable",
    )
    group.addoption(
        "--known-update",
        nargs="?",
        const="",
        metavar="FILE",
        help="append an entry for each new failure to FILE, with a blank reason for you to fill "
        "in; default: the last file of --known",
    )
    group.addoption(
        "--all-breaches",
        nargs="?",
        const=str(settings.ALL_BREACHES),
        metavar="N",
        help="search on behind a breach until a law was found to break in N ways, also in what "
        f"known departures cover; default of N: {settings.ALL_BREACHES}",
    )
    group.addoption(
        "--report",
        metavar="DIR",
        help="write the reports, and a witness and a script per broken law, to DIR; "
        "default: reports/runs/<time> in a clone of the suite, else no reports",
    )
    group.addoption(
        "--shard",
        metavar="I/N",
        help="run only shard I of N shards of about equal duration; "
        "`python -m treelaws merge` joins their reports",
    )
    group.addoption(
        "--database",
        metavar="URL",
        help="where Hypothesis saves inputs that broke laws, to run them first: a folder, "
        "redis://HOST:PORT/NUMBER, github://OWNER/REPOSITORY or none; default: .hypothesis",
    )
    group.addoption(
        "--max-time",
        metavar="SECONDS",
        help="stop after SECONDS; spare time goes to more examples",
    )
    group.addoption(
        "--case-time",
        metavar="SECONDS",
        default=str(settings.case_seconds),
        help="a law is broken if one of its inputs does not end within SECONDS; "
        f"default: {settings.case_seconds:g}",
    )
    group.addoption(
        "--calls",
        metavar="FILE",
        help="count how laws call the public functions of the libraries, and write it to FILE for "
        "`python -m treelaws coverage`",
    )
    group.addoption(
        "--inputs",
        metavar="FILE",
        help="note which features inputs have together, and write it to FILE for "
        "`python -m treelaws coverage --inputs`",
    )
    group.addoption(
        "--list-laws",
        action="store_true",
        help="print id, level and statement of the selected laws, and run nothing",
    )


def take(config: pytest.Config) -> None:
    """Set the profile and the edition of the command line.

    Raises:
        pytest.UsageError: an option has a value that does not exist.
    """
    option = config.getoption
    for flag, value, allowed in (
        ("--laws-profile", option("laws_profile"), settings.PROFILES),
        ("--level", option("level"), settings.LEVELS),
        ("--edition", option("edition"), settings.EDITIONS),
    ):
        _demand(flag, value, allowed)
    settings.profile = option("laws_profile")
    try:
        settings.case_seconds = time_limit.seconds_from(str(option("case_time")))
    except ValueError as raised:
        raise pytest.UsageError(f"--case-time: {raised}") from None
    settings.edition = option("edition") or settings.EDITIONS[-1]
    told = option("all_breaches")
    # Entries for what the departures of the suite cover would not be the user's to write.
    settings.within_known = told is not None
    settings.most_breaches = _breaches(told, on=option("known_update") is not None)


def _breaches(told: str | None, *, on: bool) -> int:
    """Return how many breaches of a law to look for."""
    if told is None:
        return settings.ALL_BREACHES if on else 1
    if not re.fullmatch("[1-9][0-9]{0,2}", told):
        # The text after the option is most likely meant as an argument of pytest.
        cure = "write --all-breaches=5, or put the option last"
        raise pytest.UsageError(f"--all-breaches: {told!r} is not a number from 1 to 999; {cure}")
    return int(told)


def _demand(flag: str, value: str | None, allowed: Iterable[str]) -> None:
    if value is not None and value not in allowed:
        raise pytest.UsageError(f"{flag}: unknown {value!r}; choose from {', '.join(allowed)}")
