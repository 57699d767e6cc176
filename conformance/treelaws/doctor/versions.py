"""Checks installed versions against the requirements of the suite and the libraries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from treelaws import compat
from treelaws.compat import requirements

from .results import Result, note, ok, problem

_NEEDED = ("jax", "jaxlib", "hypothesis", "pytest")
_PACKAGES = ("jax", "jaxlib", "equinox", "flax", "optax", "chex", "numpy", "hypothesis", "pytest")


def check_versions() -> Iterator[Result]:
    """Check Python and each package."""
    yield _suite()
    for package in ("python", *_PACKAGES):
        yield _version(package)
    for package in _PACKAGES:
        yield from _unmet(package)
    yield from _other_copy(Path.cwd())


def _suite() -> Result:
    version = compat.version("treelaws") or "not installed"
    where = f"{version}, from {Path(__file__).resolve().parents[1]}"
    if requirements.of_suite():
        return ok("treelaws", where)
    return note("treelaws", f"{where}; without metadata its requirements are unknown")


def _version(package: str) -> Result:
    name = "Python" if package == "python" else package
    wanted = requirements.of_suite().get(package, compat.specifier(""))
    version = compat.version(package)
    if version is None:
        if package in _NEEDED:
            return problem(name, f"is not installed; pip install '{name}{wanted}'")
        return note(name, "is not installed; its laws are skipped")
    asked = f" (the suite requires {wanted})" if str(wanted) else ""
    if not compat.matches(package, str(wanted)):
        cure = "use another Python" if package == "python" else f"pip install '{name}{wanted}'"
        return problem(name, f"{version} does not meet {wanted}; {cure}")
    if compat.built_from_source(package):
        told = "built from source: a known departure that it fixes is skipped, not stale"
        return note(name, f"{version}{asked}, {told}")
    return ok(name, f"{version}{asked}")


def _unmet(package: str) -> Iterator[Result]:
    """Yield the packages, such as jaxlib, whose version this package does not support."""
    for other, wanted in requirements.of_package(package).items():
        found = compat.version(other)
        if other in _PACKAGES and found is not None and not compat.matches(other, str(wanted)):
            told = (
                f"{package} {compat.version(package)} requires {wanted}, but {found} is installed"
            )
            yield problem(other, f"{told}; pip install --upgrade {package} {other}")


def _other_copy(folder: Path) -> Iterator[Result]:
    """Check for a clone around this folder that is not the copy of the suite that runs."""
    here = Path(__file__).resolve().parents[1]
    for parent in (folder, *folder.parents):
        package = parent / "conformance" / "treelaws"
        if (package / "plugin.py").is_file() and package.resolve() != here:
            told = f"runs from {here}, and this folder holds another copy; pip install -e {parent}"
            yield problem("treelaws", told)
            return
