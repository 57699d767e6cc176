"""Finds the release that broke or fixed a law, in few trials.

A function that `trials` makes runs each trial.
"""

from __future__ import annotations

import dataclasses
import itertools
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence

from packaging.version import InvalidVersion, Version

from treelaws.releases.environments.requirements import BadRequest

GOOD, BAD, SKIPPED = "good", "bad", "skipped"
_LONGEST = 120


@dataclasses.dataclass(frozen=True)
class Trial:
    """The result of a witness with a release.

    Args:
        answer: `"good"`, `"bad"` or `"skipped"`.
        reason: why it was skipped, or a note.
        versions: installed versions by package.
    """

    answer: str
    reason: str = ""
    versions: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.answer}: {self.reason}" if self.reason else self.answer


@dataclasses.dataclass(frozen=True)
class Change:
    """Two releases with different answers, and no release between them that can run.

    Args:
        last: the last release before the change.
        first: the first release after the change.
        answer: that of `first`.
        untried: skipped releases between the two, any of which may be the first.
    """

    last: str
    first: str
    answer: str
    untried: tuple[str, ...] = ()

    def __str__(self) -> str:
        before = GOOD if self.answer == BAD else BAD
        doubt = f", unless it is one of the skipped {', '.join(self.untried)}"
        found = f"first {self.answer} release {self.first} (last {before} {self.last})"
        return found + (doubt if self.untried else "")


class Bisection:
    """A search through releases.

    Args:
        versions: the releases, oldest first.
        attempt: runs the witness with a release.
        say: takes a line about each trial; default: nothing is printed.
    """

    def __init__(
        self,
        versions: Sequence[str],
        attempt: Callable[[str], Trial],
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.versions = list(versions)
        self.trials: dict[str, Trial] = {}
        self._attempt, self._say = attempt, say

    def changes(self, good: str = "", bad: str = "", found: str = "") -> list[Change]:
        """Find the changes between the releases that run first.

        These are the two releases that the user calls good and bad. If one is missing, they also
        include the oldest and the newest release that can run, and the one of the witness.

        Args:
            good: a release that the user calls good; default: none.
            bad: a release that the user calls bad; default: none.
            found: the release that the witness was found with; default: unknown.

        Returns:
            The changes, oldest first; empty if all of those answer alike.

        Raises:
            BadRequest: a release does not exist or is not as the user says; or none can run.
        """
        ends = [self._said(answer, said) for answer, said in ((GOOD, good), (BAD, bad)) if said]
        if len(ends) < 2:
            places = range(len(self.versions))
            ends += [*self._first("oldest", places), *self._first("newest", reversed(places))]
            known = places if found in self.versions else ()
            ends += self._first("found with it", (i for i in known if self.versions[i] == found))
        if not ends:
            reasons = [trial.reason for trial in self.trials.values()]
            why = f"; of the last one: {reasons[-1]}" if reasons else ""
            raise BadRequest(f"none of {len(self.versions)} releases can run{why}")
        ends = sorted(set(ends))
        pairs = itertools.pairwise(ends)
        return [self._narrow(*pair) for pair in pairs if len(set(map(self._answer, pair))) == 2]

    def skipped(self) -> dict[str, str]:
        """Return the releases that could not run, oldest first, and why."""
        tried = [version for version in self.versions if version in self.trials]
        reasons = {version: self.trials[version].reason for version in tried}
        return {v: why for v, why in reasons.items() if self.trials[v].answer == SKIPPED}

    def _said(self, answer: str, version: str) -> int:
        """Return the place of a release, after a check that it is as the user says."""
        try:
            index = [Version(one) for one in self.versions].index(Version(version))
        except (InvalidVersion, ValueError):
            listed = ", ".join(self.versions)
            raise BadRequest(
                f"--{answer} {version}: no such release; choose from {listed}"
            ) from None
        trial = self._ask(index)
        self._tell(index, f"said to be {answer}")
        if trial.answer != answer:
            raise BadRequest(f"--{answer} {version}: that release is {trial}")
        return index

    def _first(self, name: str, places: Iterable[int]) -> list[int]:
        """Return the first of some places whose release can run, if any."""
        for index in places:
            new = self.versions[index] not in self.trials
            answer = self._ask(index).answer
            if new:
                self._tell(index, name)
            if answer != SKIPPED:
                return [index]
        return []

    def _narrow(self, low: int, high: int) -> Change:
        while between := self._between(low, high):
            middle = min(between, key=lambda index: abs(2 * index - low - high))
            answer = self._ask(middle).answer
            low = middle if answer == self._answer(low) else low
            high = middle if answer == self._answer(high) else high
            self._tell(middle, f"{len(self._between(low, high))} left")
        untried = tuple(self.versions[low + 1 : high])
        return Change(self.versions[low], self.versions[high], self._answer(high), untried)

    def _between(self, low: int, high: int) -> list[int]:
        return [i for i in range(low + 1, high) if self.versions[i] not in self.trials]

    def _answer(self, index: int) -> str:
        return self.trials[self.versions[index]].answer

    def _ask(self, index: int) -> Trial:
        version = self.versions[index]
        if version not in self.trials:
            self.trials[version] = self._attempt(version)
        return self.trials[version]

    def _tell(self, index: int, note: str) -> None:
        version = self.versions[index]
        told = textwrap.shorten(str(self.trials[version]), _LONGEST, placeholder=" ...")
        self._say(f"{version} ({note}): {told}")
