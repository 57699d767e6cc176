"""A finding: one root cause in a library, and the laws that it breaks."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping

from .departure import UNREPORTED, Departure

# From the most to the least severe.
SEVERITIES = (
    "wrong-result",
    "state-lost",
    "crash",
    "leak",
    "refuses-valid",
    "accepts-invalid",
    "cosmetic",
)
STATES = ("open", "closed", "merged")


@dataclasses.dataclass(frozen=True)
class Link:
    """An upstream thread about a finding.

    Args:
        url: its address.
        state: one of `STATES`.
        looked_up: the day on which it had this state.
        fixed_in: the release that is said to fix it; empty if the thread names none.
    """

    url: str
    state: str
    looked_up: datetime.date
    fixed_in: str = ""

    def __str__(self) -> str:
        told = f"closed as fixed in {self.fixed_in}" if self.fixed_in else self.state
        return f"{self.url} ({told}, looked up on {self.looked_up:%Y-%m-%d})"


@dataclasses.dataclass(frozen=True)
class Finding:
    """A defect of a released library.

    Args:
        id: its table in the file.
        title: the symptom, as the title of an issue.
        library: the distribution at fault.
        severity: one of `SEVERITIES`.
        consequence: what it means for a user, in one sentence.
        reason: why it happens.
        versions: PEP 440 specifiers of the affected releases by package.
        departures: the laws that it breaks, each for one subject.
        first_bad: the first affected release by package, as found by `bisect`; `"<=VERSION"` if
            the oldest release tried is affected; empty if not searched.
        links: upstream threads.
        script: a script shortened by hand; empty if there is none.
        question: the question of `questions.toml` that it answers with no; empty for users' own.
        file: path of the file that contains it.
    """

    id: str
    title: str
    library: str
    severity: str
    consequence: str
    reason: str
    versions: Mapping[str, str]
    departures: tuple[Departure, ...]
    first_bad: Mapping[str, str] = dataclasses.field(default_factory=dict)
    links: tuple[Link, ...] = ()
    script: str = ""
    question: str = ""
    file: str = ""

    @property
    def affected(self) -> str:
        """The affected releases as text, such as `"jax >=0.5, flax <0.12"`, and options of JAX."""
        first, *others = (dict(found.config) for found in self.departures)
        shared = first if all(first == other for other in others) else {}
        options = " and ".join(f"{name} {value}" for name, value in shared.items())
        return f"{_text(self.versions)}, with {options}" if options else _text(self.versions)

    @property
    def first_affected(self) -> str:
        """The first affected releases as text; empty if they were not searched."""
        return _text(self.first_bad)

    @property
    def applies(self) -> bool:
        """Whether one of its departures applies to the installed versions."""
        return any(found.applies for found in self.departures)

    @property
    def issue(self) -> str:
        """The open upstream thread, or `"unreported"`."""
        return open_thread(self.links)


def _text(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{package} {told}" for package, told in versions.items())


def open_thread(links: tuple[Link, ...]) -> str:
    """Return the address of the first open thread, or `"unreported"`."""
    return next((link.url for link in links if link.state == "open"), UNREPORTED)
