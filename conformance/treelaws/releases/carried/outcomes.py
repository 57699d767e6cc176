"""What became of the cases that one release wrote and another read."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .cases import DIED, FAILS, LOADS, NOT_BUILT, OWN, UNCLEAR, WRONG, Carried, cases_in
from .child import ends
from .journal import Journal

# The worst first. The others say nothing about the pair.
RANKED = (WRONG, DIED, UNCLEAR, FAILS, LOADS)
UNDECIDED = (OWN, NOT_BUILT)
# The letter of the worst outcome of a law, for tables.
LETTERS: Mapping[str, str] = {
    LOADS: "l",
    WRONG: "W",
    DIED: "X",
    UNCLEAR: "u",
    FAILS: "f",
    "": "-",
}
_INNER = re.compile(r"where (\S+(?: data\S*)?)")
_VARYING = re.compile(r"path \(.*\)|0x[0-9a-f]+|\d+|'[^']*'|\([^()]*\)|\[[^\[\]]*\]")


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What became of one case.

    Args:
        number: its number in the folder of the release that wrote it.
        case: the case.
        outcome: one of `RANKED` and `UNDECIDED`.
        told: the difference or the error; empty if it loads.
        aspect: of a difference: what differs, such as `"value"`.
    """

    number: int
    case: Carried
    outcome: str
    told: str = ""
    aspect: str = ""

    @property
    def sort(self) -> tuple[str, str, str]:
        """Law, outcome, and what is alike in the texts of one cause."""
        first = self.told.splitlines()[0] if self.told else ""
        if self.outcome == WRONG:
            # The place differs from case to case, but not that of a difference in aux data.
            inner = _INNER.search(self.told)
            first = f"{first.rpartition(': ')[2]} {inner[1] if inner else ''}"
        return self.case.law, self.outcome, _VARYING.sub("*", first)


def outcomes(folder: Path, journal: Path, own: Path) -> list[Outcome]:
    """Return the outcomes of all cases that a release wrote and another read.

    Args:
        folder: the folder of the release that wrote.
        journal: the journal of the release that read.
        own: that of another process of the release that wrote.
    """
    told = _told(journal)
    for case, before in _told(own).items():
        if before["outcome"] != LOADS and case in told:
            told[case] = {"outcome": OWN}
    cases = cases_in(folder)
    return [
        Outcome(number, cases[number], one["outcome"], one.get("told", ""), one.get("aspect", ""))
        for number, one in sorted(told.items())
    ]


def _told(journal: Path) -> dict[int, dict[str, Any]]:
    ended, died = Journal(journal).read()
    open_cases = ends(Journal(journal), died)
    return {**{case: {"outcome": outcome} for case, outcome in open_cases.items()}, **ended}


def worst(found: list[Outcome]) -> str:
    """Return the worst outcome that says something; empty if none does."""
    held = {one.outcome for one in found}
    return next((one for one in RANKED if one in held), "")
