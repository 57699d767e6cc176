"""Lists releases of packages on the package index."""

from __future__ import annotations

import dataclasses
import datetime
import functools
import os
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from .interpreters import interpreter
from .requirements import BadRequest, tool

# The oldest releases that the suite supports, as its dependencies and extras state them.
OLDEST = {"jax": "0.4.35", "equinox": "0.11.8", "flax": "0.10.2", "optax": "0.2.3"}
_SECONDS = 60.0


@dataclasses.dataclass(frozen=True)
class Release:
    """A version of a package on the index.

    Args:
        version: its version.
        uploaded: when the last of its files was uploaded; `None` if the index does not say.
    """

    version: str
    uploaded: datetime.datetime | None


def releases(package: str, specifier: str = "", python: str = "") -> list[Release]:
    """Return the releases of a package that can be installed, oldest first.

    Pre-releases, yanked releases and those that do not support the Python are left out.

    Args:
        package: its name on the index.
        specifier: PEP 440 specifier such as `">=0.12,!=0.12.1"`; default: the releases that
            the suite supports, or all releases of other packages.
        python: version of a Python or path of its executable; default the running one.

    Raises:
        BadRequest: the specifier or the Python is invalid, or the index lacks the package or cannot
            be reached.
    """
    given = specifier or (f">={OLDEST[package]}" if package in OLDEST else "")
    try:
        wanted = SpecifierSet(given)
    except InvalidSpecifier:
        told = f"{given!r} is not a version specifier; write for example '>=0.12'"
        raise BadRequest(told) from None
    running = interpreter(python).version
    found = {
        version: max((file.upload_time for file in files if file.upload_time), default=None)
        for version, files in _files(package).items()
        if any(not file.is_yanked and _supports(file.requires_python, running) for file in files)
    }
    kept = (version for version in sorted(found) if not version.is_prerelease)
    return [Release(str(version), found[version]) for version in kept if version in wanted]


def chosen_releases(package: str, text: str, python: str = "") -> list[str]:
    """Return the versions of the releases that a text names, oldest first.

    Args:
        package: its name on the index.
        text: a specifier such as `">=0.12"`, or versions with commas between them.
        python: version of a Python or path of its executable; default the running one.

    Raises:
        BadRequest: the index has no such release, or as `releases`.
    """
    listed = [one.strip() for one in text.split(",")]
    exact = all(one and one[0].isdigit() for one in listed)
    known = [found.version for found in releases(package, "" if exact else text, python)]
    missing = [version for version in listed if exact and version not in known]
    chosen = [version for version in known if version in listed] if exact else known
    if missing or not chosen:
        what = ", ".join(missing) or text
        raise BadRequest(f"{package} {what}: no such release; the index has {', '.join(known)}")
    return chosen


def uploaded(package: str, version: str) -> datetime.datetime | None:
    """Return the upload date of a release, or `None` if the index does not say.

    Raises:
        BadRequest: the index has no such release or cannot be reached.
    """
    files = _files(package).get(Version(version))
    if files is None:
        raise BadRequest(f"{package} {version} is not on the package index")
    return max((file.upload_time for file in files if file.upload_time), default=None)


@functools.cache
def _files(package: str) -> dict[Version, list[Any]]:
    index = tool("pypi_simple")
    requests = tool("requests")
    address = index_address()
    try:
        with index.PyPISimple(**({"endpoint": address} if address else {})) as client:
            # Its session ignores the variables by which other tools find certificates.
            client.s.verify = certificates() or True
            page = client.get_project_page(package, timeout=_SECONDS)
    except index.NoSuchProjectError:
        raise BadRequest(f"the package index has no package {package!r}") from None
    except requests.RequestException as raised:
        kind = type(raised).__name__
        raise BadRequest(f"the package index cannot be asked about {package!r}: {kind}") from None
    files: dict[Version, list[Any]] = {}
    for file in page.packages:
        if (version := _version(file.version)) is not None:
            files.setdefault(version, []).append(file)
    return files


def _version(text: str | None) -> Version | None:
    try:
        return Version(text or "")
    except InvalidVersion:
        return None


def index_address() -> str:
    """Return the index that the settings of uv or pip name, or an empty text."""
    names = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL")
    return next((os.environ[name] for name in names if os.environ.get(name)), "")


def certificates() -> str:
    """Return the file of certificates that the settings name, or an empty text."""
    names = ("SSL_CERT_FILE", "PIP_CERT")
    return next((os.environ[name] for name in names if os.environ.get(name)), "")


def _supports(specifier: str | None, python: str) -> bool:
    try:
        return SpecifierSet(specifier or "").contains(python, prereleases=True)
    except InvalidSpecifier:
        return True
