"""What users ask for in the words of packaging: requirements, and the extra that serves them."""

from __future__ import annotations

import importlib
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

from treelaws.core.errors import BadInput

_CURE = "pip install 'treelaws[environments]'"


class BadRequest(BadInput):
    """What was asked for cannot be done; the text says what was given and the cure."""


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
        BadRequest: it is none.
    """
    try:
        return Requirement(text)
    except InvalidRequirement:
        raise BadRequest(f"{text!r} is no requirement; write for example 'jax==0.4.35'") from None


def named(text: str) -> list[tuple[str, str]]:
    """Give package and version of each release that a requirement names by `==` or `>=`.

    Raises:
        BadRequest: it is no requirement.
    """
    parsed = requirement(text)
    limits = [limit for limit in parsed.specifier if limit.operator in ("==", ">=")]
    return [(parsed.name, one.version) for one in limits if not one.version.endswith(".*")]


def exact(text: str) -> tuple[str, str] | None:
    """Give package and version of a requirement that names one version, else `None`.

    Raises:
        BadRequest: it is no requirement.
    """
    limits = list(requirement(text).specifier)
    found = named(text)
    return found[0] if len(limits) == 1 and limits[0].operator == "==" and found else None
