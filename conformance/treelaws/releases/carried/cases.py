"""Cases of laws about files, the files that hold them, and what becomes of a case."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from hypothesis_pytrees import Recipe
from treelaws.core.law import Law

# In the folder of a release: its cases, and the journal of what it wrote.
CASES, WRITTEN = "cases.jsonl", "written.jsonl"
# Outcomes of a case that one release wrote and another read.
LOADS, WRONG, UNCLEAR, FAILS = "loads", "loads wrong", "unclear error", "fails"
# The case says nothing about the pair: a release fails by itself, or cannot build the input.
OWN, NOT_BUILT = "own", "not built"
DIED = "ends the process"


@dataclasses.dataclass(frozen=True)
class Carried:
    """A case of a law: its law, its subject and its recipe.

    Args:
        law: id of the law.
        subject: name of the subject.
        recipe: the input.
    """

    law: str
    subject: str
    recipe: Recipe

    def line(self) -> str:
        """Return it as one line of JSON."""
        recipe = self.recipe
        features = sorted(recipe.features)
        held = [*map(list, (recipe.definitions, recipe.statements)), recipe.expression, features]
        return json.dumps([self.law, self.subject, *held])

    @staticmethod
    def parsed(line: str) -> Carried:
        """Return the case of a line."""
        law, subject, definitions, statements, expression, features = json.loads(line)
        recipe = Recipe(tuple(definitions), tuple(statements), expression, frozenset(features))
        return Carried(law, subject, recipe)


def cases_in(folder: Path) -> list[Carried]:
    """Return the cases that a release wrote, in their order."""
    lines = (folder / CASES).read_text(encoding="utf-8").splitlines()
    return [Carried.parsed(line) for line in lines]


def is_carried(law: Law) -> bool:
    """Return whether a law hands over what it has written."""
    return "carried" in law.check.__code__.co_names
