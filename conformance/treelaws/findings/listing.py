"""Chooses findings by severity, library and release, the most severe first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from packaging.requirements import InvalidRequirement, Requirement

from treelaws import compat
from treelaws.core.close_names import did_you_mean
from treelaws.core.departures import known
from treelaws.core.departures.finding import SEVERITIES, Finding
from treelaws.core.errors import BadInput


class BadChoice(BadInput):
    """A choice of findings is not valid; the text names it and what is allowed."""


def chosen(
    *,
    severities: Iterable[str] = (),
    libraries: Iterable[str] = (),
    releases: Iterable[str] = (),
    every: bool = False,
) -> list[Finding]:
    """Return findings, sorted by severity, library and title.

    Args:
        severities: entries of `SEVERITIES`; default all.
        libraries: distributions at fault; default all.
        releases: such as `"flax==0.12.4"`; other packages are as installed.
        every: also return findings that affect none of these releases; default `False`.

    Raises:
        BadChoice: a severity, library or release is not valid.
    """
    kept = known.findings()
    allowed = {"severity": set(SEVERITIES), "library": {found.library for found in kept}}
    asked = {"severity": set(severities), "library": set(libraries)}
    for key, names in asked.items():
        for name in sorted(names - allowed[key]):
            hint = did_you_mean(name, allowed[key]) or f"allowed: {', '.join(sorted(allowed[key]))}"
            raise BadChoice(f"--{key} {name!r} is not known; {hint}")
        kept = tuple(found for found in kept if not names or getattr(found, key) in names)
    versions = dict(map(_release, releases))
    kept = tuple(found for found in kept if every or affects(found, versions))
    return sorted(kept, key=_order)


def affects(found: Finding, versions: Mapping[str, str] | None = None) -> bool:
    """Return whether a finding affects releases.

    Args:
        found: the finding.
        versions: version by package; other packages are as installed.
    """
    given = versions or {}
    return any(
        all(_matches(package, spec, given) for package, spec in one.versions.items())
        for one in found.departures
    )


def _matches(package: str, spec: str, given: Mapping[str, str]) -> bool:
    if package in given:
        return compat.specifier(spec).contains(given[package], prereleases=True)
    return compat.matches(package, spec)


def _release(text: str) -> tuple[str, str]:
    try:
        parsed = Requirement(text)
        (limit,) = parsed.specifier
    except (InvalidRequirement, ValueError):
        limit, parsed = None, None
    if parsed is None or limit is None or limit.operator != "==" or "*" in limit.version:
        raise BadChoice(f"--release {text!r} does not name a release; write flax==0.12.4")
    return parsed.name, limit.version


def _order(found: Finding) -> tuple[int, str, str]:
    return SEVERITIES.index(found.severity), found.library, found.title.replace("`", "").lower()
