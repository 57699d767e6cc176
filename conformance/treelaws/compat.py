"""The only place that reads a version or asks what a release has."""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import platform

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

LIBRARIES = ("jax", "jaxlib", "equinox", "flax", "optax", "numpy", "hypothesis")


@functools.cache
def version(package: str) -> str | None:
    """Give the installed version of a distribution, or `None` where it is not installed."""
    if package == "python":
        return platform.python_version()
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def installed(module: str) -> bool:
    """Say whether a top-level module can be imported, without importing it."""
    return importlib.util.find_spec(module) is not None


def specifier(text: str) -> SpecifierSet:
    """Parse a PEP 440 specifier such as `">=0.13,<0.13.5"`.

    Raises:
        ValueError: it is not one.
    """
    try:
        return SpecifierSet(text)
    except InvalidSpecifier:
        raise ValueError(f"{text!r} is no version specifier; write for example '>=0.13'") from None


def matches(package: str, spec: str) -> bool:
    """Say whether the installed version of a package meets a specifier.

    A development or pre-release version counts as the release it leads to.
    """
    found = version(package)
    return found is not None and Version(found).base_version in specifier(spec)
