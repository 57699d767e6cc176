"""What a library is known to break: one entry of a file."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from hypothesis_pytrees import Recipe
from treelaws import compat
from treelaws.core.errors import BadInput

# A region that leaves nothing to hunt in.
EVERY_CASE = "every case"
UNREPORTED = "unreported"


class BadKnown(BadInput):
    """A known-departures file is malformed; the text says which file, what and the cure."""


@dataclasses.dataclass(frozen=True)
class Departure:
    """One thing that a released library is known to break.

    Args:
        name: the key of its table in the file.
        law: id of the law.
        subject: name of the subject.
        versions: PEP 440 specifiers by package; all must match for the departure to apply.
        issue: link to the upstream issue, or `"unreported"`.
        reason: why the library is wrong.
        witness: text that binds the case's names.
        region: conjunctions of features, for example `"module:property and not history:fresh"`;
            cases that meet any are not drawn; empty where no drawn case meets the departure;
            `"every case"` where each does, so that only the witness is tried.
        raises: name of the error that the witness meets where the law's own steps raise;
            empty for an ordinary breach.
        file: where it is written.
    """

    name: str
    law: str
    subject: str
    versions: Mapping[str, str]
    issue: str
    reason: str
    witness: str
    region: tuple[str, ...] = ()
    raises: str = ""
    file: str = ""

    @property
    def applies(self) -> bool:
        """Whether the installed versions are those that depart."""
        return all(compat.matches(package, spec) for package, spec in self.versions.items())

    @property
    def recipe(self) -> Recipe:
        """The witness as a recipe."""
        return Recipe(statements=(self.witness.strip(),))

    def covers(self, features: Iterable[str]) -> bool:
        """Say whether a case with these features lies in the region."""
        held = {EVERY_CASE, *features}
        return any(_meets(conjunction, held) for conjunction in self.region)


def _meets(conjunction: str, held: set[str]) -> bool:
    terms = conjunction.split(" and ")
    return all(
        term[4:].strip() not in held if term.startswith("not ") else term.strip() in held
        for term in terms
    )
