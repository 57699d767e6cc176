"""Parses requirements of users, and imports the tools of the extra `environments`."""

from __future__ import annotations

import importlib
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

from treelaws.core.errors import BadInput

_CURE = "pip install 'treelaws[environments]'"


class BadRequest(BadInput):
    """A request cannot be met; the text names the request and the fix."""


def tool(name: str) -> Any:
    """Import a module that only the extra `environments` installs.

    Raises:
        BadRequest: it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        raise BadRequest(f"this needs {name}, which is not installed: {_CURE}") from None


def requirement(text: str) -> Requirement:
    """Parse a requirement such as `"jax==0.4.35"`.

    Raises:
        BadRequest: the text is not a requirement.
    """
    try:
        return Requirement(text)
    except InvalidRequirement:
        told = f"{text!r} is not a requirement; write for example 'jax==0.4.35'"
        raise BadRequest(told) from None


def named(text: str) -> list[tuple[str, str]]:
    """Return package and version for each `==` or `>=` in a requirement.

    Raises:
        BadRequest: the text is not a requirement.
    """
    parsed = requirement(text)
    limits = [limit for limit in parsed.specifier if limit.operator in ("==", ">=")]
    return [(parsed.name, one.version) for one in limits if not one.version.endswith(".*")]


def exact(text: str) -> tuple[str, str] | None:
    """Return package and version of a requirement for exactly one version, else `None`.

    Raises:
        BadRequest: the text is not a requirement.
    """
    limits = list(requirement(text).specifier)
    found = named(text)
    return found[0] if len(limits) == 1 and limits[0].operator == "==" and found else None
