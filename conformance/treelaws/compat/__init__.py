"""Versions of installed packages; other packages of the suite ask here for releases."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import platform
import sys
from collections.abc import Mapping, Sequence

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

LIBRARIES = ("jax", "jaxlib", "equinox", "flax", "optax", "numpy", "hypothesis")


@functools.cache
def version(package: str) -> str | None:
    """Return the installed version of a distribution, or `None` if it is not installed."""
    if package == "python":
        return platform.python_version()
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def every_version() -> dict[str, str]:
    """Return the versions of all installed distributions by name."""
    return {str(one.name): one.version for one in importlib.metadata.distributions()}


@functools.cache
def built_from_source(package: str) -> bool:
    """Return whether a distribution came from a folder or a repository instead of an index.

    Source: https://packaging.python.org/en/latest/specifications/direct-url/
    """
    try:
        return importlib.metadata.distribution(package).read_text("direct_url.json") is not None
    except importlib.metadata.PackageNotFoundError:
        return False


@functools.cache
def installed(module: str) -> bool:
    """Return whether a module belongs to an installed distribution or to Python."""
    top = module.partition(".")[0]
    return top in sys.stdlib_module_names or top in _distributions()


@functools.cache
def distributions_of(module: str) -> tuple[str, ...]:
    """Return the names of the installed distributions that a module may come from."""
    top = module.partition(".")[0]
    return tuple(sorted(set(_distributions().get(top, ()))))


@functools.cache
def _distributions() -> Mapping[str, Sequence[str]]:
    """Return the distributions of each top-level module; reading them takes seconds."""
    return importlib.metadata.packages_distributions()


def entry_points(group: str) -> importlib.metadata.EntryPoints:
    """Return the entry points that installed distributions have in a group."""
    return importlib.metadata.entry_points(group=group)


def specifier(text: str) -> SpecifierSet:
    """Parse a PEP 440 specifier such as `">=0.13,<0.13.5"`.

    Raises:
        ValueError: the text is not a specifier.
    """
    try:
        return SpecifierSet(text)
    except InvalidSpecifier:
        told = f"{text!r} is not a version specifier; write for example '>=0.13'"
        raise ValueError(told) from None


def pin(package: str) -> str:
    """Return the specifier that only the installed release of a package meets.

    Raises:
        LookupError: the package is not installed.
    """
    found = version(package)
    if found is None:
        raise LookupError(f"{package} is not installed")
    # `matches` also takes a development version for the release it leads to.
    return f"=={Version(found).base_version}"


def matches(package: str, spec: str) -> bool:
    """Return whether the installed version of a package meets a specifier.

    A development or pre-release version counts as the release it leads to.
    """
    found = version(package)
    return found is not None and Version(found).base_version in specifier(spec)
