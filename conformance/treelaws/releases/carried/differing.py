"""The outcomes that are alike, each once: one cause has many cases and pairs of releases."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from .cases import DIED, LOADS, WRONG
from .outcomes import UNDECIDED, Outcome
from .running import Result
from .script import script


@dataclasses.dataclass
class Differing:
    """Outcomes of one law that are alike.

    Args:
        first: the one with the shortest input.
        result: of the pair that has it.
        subjects: names of the subjects that have such an outcome.
        pairs: the pairs that have one.
    """

    first: Outcome
    result: Result
    subjects: list[str] = dataclasses.field(default_factory=list)
    pairs: list[str] = dataclasses.field(default_factory=list)

    @property
    def law(self) -> str:
        """Id of the law."""
        return self.first.case.law

    def script(self) -> str:
        """Return a script that shows it; empty for an error, whose text says enough."""
        if self.first.outcome not in (WRONG, DIED):
            return ""
        pair = f"{self.result.writer} and {self.result.reader}"
        return script(self.first, pair, *self.result.runs)


def differing(results: Sequence[Result]) -> list[Differing]:
    """Group the outcomes that are not `loads` by law, outcome and what their texts have in common.

    Args:
        results: of all pairs.
    """
    found: dict[tuple[str, str, str], Differing] = {}
    for result in results:
        pair = result.pair
        for one in result.outcomes:
            if one.outcome == LOADS or one.outcome in UNDECIDED:
                continue
            held = found.setdefault(one.sort, Differing(one, result))
            if _length(one) < _length(held.first):
                held.first, held.result = one, result
            for names, name in ((held.subjects, one.case.subject), (held.pairs, pair)):
                if name not in names:
                    names.append(name)
    return [found[key] for key in sorted(found)]


def _length(one: Outcome) -> int:
    return len(one.case.recipe.source())
