"""Finds the release with which a law began or ceased to be broken, in few trials.

Nothing here knows how a release is tried: that is a function, which `trials` makes.
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
    """What a witness did with a release.

    Args:
        answer: `"good"`, `"bad"` or `"skipped"`.
        reason: why it was skipped, or what else is worth telling.
        versions: what was installed, by package.
    """

    answer: str
    reason: str = ""
    versions: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.answer}: {self.reason}" if self.reason else self.answer


@dataclasses.dataclass(frozen=True)
class Change:
    """Two releases with unlike answers, and nothing that could be tried between them.

    Args:
        last: the last release as it was before.
        first: the first release as it is since.
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
        attempt: tries the witness with a release.
        say: takes a line about each trial; default they are not told.
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
        """Find where the answer changes between the releases that are asked first.

        These are the two that are said to be good and bad. Where one of them is not given, they are
        also the oldest and the newest that can be tried, and that which the witness was found with.

        Args:
            good: a release that is said to be good; default none.
            bad: a release that is said to be bad; default none.
            found: the release that the witness was found with; default unknown.

        Returns:
            The changes, oldest first; none where all of those answer alike.

        Raises:
            BadRequest: a release does not exist, or is not as it is said to be; none can be tried.
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
            raise BadRequest(f"none of {len(self.versions)} releases can be tried{why}")
        ends = sorted(set(ends))
        pairs = itertools.pairwise(ends)
        return [self._narrow(*pair) for pair in pairs if len(set(map(self._answer, pair))) == 2]

    def skipped(self) -> dict[str, str]:
        """Give the releases that could not be tried, oldest first, and why."""
        tried = [version for version in self.versions if version in self.trials]
        reasons = {version: self.trials[version].reason for version in tried}
        return {v: why for v, why in reasons.items() if self.trials[v].answer == SKIPPED}

    def _said(self, answer: str, version: str) -> int:
        """Give the place of a release, once it is as it is said to be."""
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
        """Give the first of some places that can be tried, if any."""
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
