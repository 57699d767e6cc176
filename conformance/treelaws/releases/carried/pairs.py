"""Which release writes, and which reads."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

from packaging.version import Version

from treelaws import compat
from treelaws.releases.environments.environments import Wanted
from treelaws.releases.environments.index import chosen_releases
from treelaws.releases.environments.requirements import BadRequest

INSTALLED = "installed"
NEIGHBOURS, ALL = "neighbours", "all"


@dataclasses.dataclass(frozen=True)
class Side:
    """A release of a package that writes or reads, with the packages beside it.

    Args:
        package: its name.
        version: its version; empty for what is installed in the running Python.
        beside: further pins, such as `"jax==0.5.3"`; empty for the newest ones at its upload date.
        python: version of a Python or path of its executable; empty for the running one.
    """

    package: str
    version: str
    beside: tuple[str, ...] = ()
    python: str = ""

    @property
    def wanted(self) -> Wanted:
        """The environment that it needs."""
        return Wanted((f"{self.package}=={self.version}",), self.beside, self.python)

    @property
    def name(self) -> str:
        """Its name in tables and folders."""
        return self.version or INSTALLED

    def __str__(self) -> str:
        return f"{self.package} {self.name}"


def sides(package: str, text: str, beside: Sequence[str], python: str) -> list[Side]:
    """List the releases that a text names, the oldest first.

    Args:
        package: the package.
        text: a specifier such as `">=0.11.8"`, releases with commas between them, or `"installed"`.
        beside: pins of other packages.
        python: version of a Python or path of its executable; empty for the running one.

    Raises:
        BadRequest: the index has no such release, or the package is not installed.
    """
    if text == INSTALLED:
        if compat.version(package) is None:
            raise BadRequest(f"{package} is not installed")
        return [Side(package, "")]
    return [
        Side(package, version, tuple(beside), python)
        for version in chosen_releases(package, text, python)
    ]


def pairs(writers: Sequence[Side], readers: Sequence[Side], which: str) -> list[tuple[Side, Side]]:
    """List the pairs of a writer and a reader, in both directions: a rollback is one, too.

    Each upgrade comes right before its rollback. What is installed counts as the newest release.

    Args:
        writers: the releases of `--from`, the oldest first.
        readers: the releases of `--to`, the oldest first.
        which: `"neighbours"`: each release with the next one, and the oldest with the newest; or
            `"all"`: each writer with each reader.
    """
    if which == ALL or not all(side.version for side in (*writers, *readers)):
        found = itertools.product(writers, readers)
    else:
        line = sorted(dict.fromkeys((*writers, *readers)), key=_age)
        ends = [(line[0], line[-1])] if len(line) > 2 else []
        found = (*itertools.pairwise(line), *ends)
    upgrades = (sorted(pair, key=_age) for pair in found if pair[0] != pair[1])
    both = (((older, newer), (newer, older)) for older, newer in upgrades)
    return list(dict.fromkeys(pair for two in both for pair in two))


def _age(side: Side) -> tuple[bool, Version]:
    return not side.version, Version(side.version or "0")
