"""What is asked of each release: which laws, on which subjects, with how many cases."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

from treelaws.api.choosing import matching_laws
from treelaws.core.law import Law
from treelaws.releases.environments.requirements import BadRequest
from treelaws.subjects.registry import subjects

from .cases import is_carried


@dataclasses.dataclass(frozen=True)
class Asked:
    """What a run asks of each release.

    Args:
        package: the package under test.
        laws: patterns of law ids; empty for every law that hands over what it wrote.
        examples: number of cases that are drawn for each law and subject.
        seed: of the draws.
        runs: folder of what is written and of the outcomes, from which a stopped run continues.
    """

    package: str
    laws: tuple[str, ...]
    examples: int
    seed: int
    runs: Path

    def words(self) -> list[str]:
        """The arguments of a process that writes, after its folder.

        Raises:
            BadRequest: no law of the package fits.
        """
        pairs = [f"{subject}:{law}" for subject, law in self._pairs()]
        if not pairs:
            raise BadRequest(f"--package {self.package}: no law about files fits these patterns")
        return [str(self.examples), str(self.seed), *pairs]

    def _pairs(self) -> Iterator[tuple[str, str]]:
        needed = "" if self.package == "jax" else self.package
        found = [one for one in subjects() if one.shipped and one.requires == needed]
        if not found:
            names = sorted({one.requires or "jax" for one in subjects() if one.shipped})
            raise BadRequest(
                f"--package {self.package}: no subject needs it; choose from {', '.join(names)}"
            )
        for law in _matching(self.laws):
            if is_carried(law):
                fit = (one for one in found if one.family == law.topic.family)
                yield from ((one.name, law.id) for one in fit if one.name != "mixed")


def _matching(patterns: Sequence[str]) -> list[Law]:
    try:
        return matching_laws(patterns or ("*",), "observed")
    except ValueError as raised:
        raise BadRequest(f"--laws: {raised}") from raised
