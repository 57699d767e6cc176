"""A known departure: one entry of a file."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Any

from hypothesis_pytrees import Recipe
from treelaws import compat
from treelaws.compat import environment
from treelaws.core.errors import BadInput

# The region that covers every case, so that only the witness runs.
EVERY_CASE = "every case"
UNREPORTED = "unreported"
# In `also`: the inputs may differ in whatever the law compares, for example since two are mixed up.
ANY_DIFFERENCE = "any difference"


class BadKnown(BadInput):
    """A known-departures file is malformed; the text names the file, the mistake and the fix."""


@dataclasses.dataclass(frozen=True)
class Departure:
    """A law that a released library is known to break.

    Args:
        name: the key of its table in the file.
        law: id of the law; `*` stands for any text.
        subject: name of the subject; `*` stands for any text.
        versions: PEP 440 specifiers by package; all must match for the departure to apply.
        issue: link to the upstream issue, or `"unreported"`.
        reason: why the library is wrong.
        witness: text that binds the case's names.
        region: conjunctions of features, for example `"module:property and not history:fresh"`;
            matching cases are not generated; empty if no generated case matches;
            `"every case"` if each one does, so that only the witness runs.
        every_case: why no narrower region is possible; empty if the entry does not say it.
        raises: name of the exception that the law raises on the witness; empty if the law fails
            by a comparison.
        also: other exceptions that the law raises, and other things in which it finds a
            difference, in the region and by the same cause, or `"any difference"`;
            `--all-breaches` passes them by.
        race: what must happen for the law to break on the witness, but not in each run, such as
            two threads that meet or memory that is used again; empty if it breaks in each.
        file: path of the file that contains it.
        entry: name of its table in the file, behind those of the tables that it is in; default
            its name.
        finding: id of the finding that it follows from; empty for an entry of its own.
        config: values of `jax.config` by name that must be set for the departure to apply; default
            any.
    """

    name: str
    law: str
    subject: str
    versions: Mapping[str, str]
    issue: str
    reason: str
    witness: str
    region: tuple[str, ...] = ()
    every_case: str = ""
    raises: str = ""
    also: tuple[str, ...] = ()
    race: str = ""
    file: str = ""
    entry: tuple[str, ...] = ()
    finding: str = ""
    config: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def header(self) -> str:
        """The header of its table."""
        return f"[{'.'.join(self.entry or (self.name,))}]"

    @property
    def applies(self) -> bool:
        """Whether it applies to the installed versions and the configuration of JAX."""
        installed = all(compat.matches(package, spec) for package, spec in self.versions.items())
        return installed and environment.configured(self.config)

    @property
    def recipe(self) -> Recipe:
        """The witness as a recipe."""
        return Recipe(statements=(self.witness.strip(),))

    def of_law(self, law: str) -> bool:
        """Return whether it is about the law with this id."""
        return _means(self.law, law)

    def about(self, subject: str) -> bool:
        """Return whether it is about the subject with this name."""
        return _means(self.subject, subject)

    def covers(self, features: Iterable[str]) -> bool:
        """Return whether a case with these features lies in the region."""
        held = {EVERY_CASE, *features}
        return any(_meets(conjunction, held) for conjunction in self.region)

    def covers_all_with(self, features: Iterable[str]) -> bool:
        """Return whether every case that has at least these features lies in the region."""
        held = {EVERY_CASE, *features}
        return any("not " not in one and _meets(one, held) for one in self.region)


def _means(pattern: str, name: str) -> bool:
    if "*" not in pattern:
        return pattern == name
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name) is not None


def _meets(conjunction: str, held: set[str]) -> bool:
    terms = conjunction.split(" and ")
    return all(
        term[4:].strip() not in held if term.startswith("not ") else term.strip() in held
        for term in terms
    )
