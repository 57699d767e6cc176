"""The command `names`: asks each supported release for the names that laws and inputs use."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from packaging.version import Version

from hypothesis_pytrees.core.names import FILE
from treelaws.core.files import replace_text
from treelaws.releases.environments.environments import Wanted, environment
from treelaws.releases.environments.index import OLDEST, releases
from treelaws.releases.environments.options import add_python_option
from treelaws.releases.environments.requirements import BadRequest

from . import reading
from .used import used

_SECONDS = 300.0
# What a submodule asks for and the package does not install: up to JAX 0.6.1 `jax.export` does.
_UNDECLARED = {"jax": ("absl-py",)}
# Names that an earlier release has for another feature, which was removed, and the first release
# with the one that laws use.
_REUSED = {"flax.nnx.dataclass": "0.12.1", "flax.nnx.static": "0.12.0"}
_AS_WRITTEN, _CHANGED = 0, 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    packages = ", ".join(OLDEST)
    parser.add_argument(
        "--package",
        action="append",
        default=[],
        help=f"library whose releases are asked; repeatable; default: {packages}",
    )
    add_python_option(parser)
    parser.add_argument("--write", action="store_true", help=f"write {FILE.name}")


def run(options: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0 if the file agrees with the releases or is written, 1 if not.

    Raises:
        BadRequest: a package or a Python does not exist, or a release cannot be installed.
    """
    written = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    now = dict(written)
    for package in options.package or OLDEST:
        if package not in OLDEST:
            raise BadRequest(f"--package {package!r} is not known; allowed: {', '.join(OLDEST)}")
        now[package] = _ask(package, used()[package], options.python)
        for name, having in now[package]["sometimes"].items():
            if "!" in having or "<" in having:
                print(f"{name}: {package}{having}; check its changelog")
    if options.write:
        replace_text(FILE, json.dumps(now, indent=1, sort_keys=True) + "\n")
        return _AS_WRITTEN
    return _AS_WRITTEN if now == written else _CHANGED


def _ask(package: str, asked: Sequence[str], python: str) -> dict[str, Any]:
    """Return the names that all releases of a library have, and the releases of each other one."""
    found: dict[str, frozenset[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "asked.json")
        file.write_text(json.dumps(asked), encoding="utf-8")
        for release in releases(package, python=python):
            pins = (f"{package}=={release.version}",)
            there = environment(Wanted(pins, _UNDECLARED.get(package, ()), python))
            ended = there.run([reading.__file__, str(file)], _SECONDS, suite=False)
            if ended.code:
                raise BadRequest(f"{package} {release.version} cannot be read: {ended.reason}")
            found[release.version] = frozenset(json.loads(ended.out.splitlines()[-1]))
            print(f"{package} {release.version}: {len(found[release.version])} names", flush=True)
    ranges = {name: text for name in asked if (text := specifier(found, name)) is not None}
    return {
        "releases": list(found),
        "always": [name for name, text in ranges.items() if not text],
        "sometimes": {name: text for name, text in ranges.items() if text},
    }


def specifier(found: Mapping[str, frozenset[str]], name: str) -> str | None:
    """Return the specifier of the releases that have a name; `None` if no release has it.

    A name that the oldest release has is taken to be in older ones, too.

    Args:
        found: the names of each release, the oldest release first.
        name: the name.
    """
    versions = list(found)
    first = Version(_REUSED.get(name, "0"))
    having = [
        index
        for index, version in enumerate(versions)
        if name in found[version] and Version(version) >= first
    ]
    if not having:
        return None
    oldest, last = having[0], having[-1]
    parts = [f">={versions[oldest]}"] if oldest else []
    parts += [f"!={versions[index]}" for index in range(oldest, last) if index not in having]
    parts += [f"<{versions[last + 1]}"] if last + 1 < len(versions) else []
    return ",".join(parts)
