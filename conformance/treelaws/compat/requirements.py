"""Reads the requirements of the suite and of the libraries from their metadata."""

from __future__ import annotations

import functools
import importlib.metadata
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from . import toml

# The file of a clone, which may differ from the installed distribution.
_PROJECT = Path(__file__).resolve().parents[3] / "pyproject.toml"
_NAME = "treelaws"


@functools.cache
def of_suite() -> Mapping[str, SpecifierSet]:
    """Return what the suite asks of Python and of packages, by name; empty where nobody knows."""
    if (project := _project()) is not None:
        extras = project.get("optional-dependencies", {}).values()
        texts = [*project.get("dependencies", ()), *(one for extra in extras for one in extra)]
        python = project.get("requires-python", "")
    else:
        try:
            told = importlib.metadata.metadata(_NAME)
        except importlib.metadata.PackageNotFoundError:
            return {}
        texts, python = (
            told.get_all("Requires-Dist") or [],
            "".join(told.get_all("Requires-Python") or []),
        )
    return {"python": SpecifierSet(python), **_asked(texts, extras=True)}


@functools.cache
def of_package(package: str) -> Mapping[str, SpecifierSet]:
    """Return what an installed package asks of others in this environment, without its extras."""
    try:
        return _asked(importlib.metadata.requires(package) or (), extras=False)
    except importlib.metadata.PackageNotFoundError:
        return {}


def plugins(group: str) -> dict[str, str]:
    """Return the distributions with entry points in a group, by the name of the entry point."""
    found = importlib.metadata.entry_points(group=group)
    return {one.name: one.dist.name if one.dist else "" for one in found}


def _project() -> dict[str, Any] | None:
    try:
        project = toml.loads(_PROJECT.read_text(encoding="utf-8")).get("project", {})
    except (OSError, ValueError):
        return None
    return project if project.get("name") == _NAME else None


def _asked(texts: Iterable[str], *, extras: bool) -> dict[str, SpecifierSet]:
    asked: dict[str, SpecifierSet] = {}
    for text in texts:
        try:
            wanted = Requirement(text)
        except InvalidRequirement:
            # A package may have an invalid requirement.
            continue
        marker = wanted.marker
        # The minimum versions of the suite hold whatever extra names them.
        if marker is None or "extra" in str(marker) or marker.evaluate():
            if marker is not None and "extra" in str(marker) and not extras:
                continue
            name = canonicalize_name(wanted.name)
            asked[name] = asked.get(name, SpecifierSet()) & wanted.specifier
    return asked
