"""Registers the node types of the libraries that are installed, and what is known to break."""

from __future__ import annotations

import dataclasses

import pytest

from treelaws import Subject, register
from treelaws.core.departures import known
from treelaws.core.obstacles import Obstacle
from treelaws.laws import law_named
from treelaws.pytest_plugin.outcomes import OBSTACLE

from . import library as chosen
from .library import libraries, packages
from .making import covered, subjects_of

_SUBJECTS: dict[str, Subject] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--example",
        action="append",
        default=[],
        metavar="PACKAGE",
        help="only the node types of this library; repeatable",
    )


def pytest_configure(config: pytest.Config) -> None:
    for package in config.getoption("example") or []:
        if package not in packages():
            names = ", ".join(packages())
            raise pytest.UsageError(f"--example: unknown {package!r}; choose from {names}")
        chosen.asked.append(package)
    for library in libraries():
        if library.absent:
            continue
        for subject in subjects_of(library):
            _SUBJECTS[subject.name] = subject
            # Without its kinds, the trees of JAX and Equinox do not hold it, too.
            register(dataclasses.replace(subject, kinds=()))
        if library.known.exists():
            known.add(library.known)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a law that known departures cover in each instance; their witnesses are replayed."""
    marker, call = item.get_closest_marker("law"), getattr(item, "callspec", None)
    if marker is None or call is None or "subject" not in call.params:
        return
    if name := covered(law_named(marker.args[0]), _SUBJECTS[call.params["subject"]]):
        told = f"the known departure {name} covers every case; its witness is replayed"
        item.stash[OBSTACLE] = Obstacle("known", told)
        pytest.skip(told)
