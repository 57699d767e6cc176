"""Cases that are built once for all laws that read them, as long as no law changes one."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis_pytrees import Namespace, Recipe
from treelaws.core.failure import Breach
from treelaws.core.law import Case, Law
from treelaws.core.search import hunt
from treelaws.core.stopped import found_so_far
from treelaws.core.subject import Subject

from .held_objects import CannotTell, Held


class _Built(NamedTuple):
    case: Case
    held: Held | None


class BuiltCases:
    """Checks laws of one subject on recipes; laws that change nothing of a case get the same one.

    A law that does not hold on a case that others have read is checked again on a new one.
    """

    def __init__(self) -> None:
        self._kept: dict[int, _Built] = {}
        self._next: _Built | None = None
        self._read: _Built | None = None

    def hunt(self, law: Law, subject: Subject, recipe: Recipe) -> bool:
        """Check a law on a recipe and return whether it decided it, as `search.hunt` does.

        Args:
            law: the law.
            subject: the subject to run it on.
            recipe: the input, which the caller keeps.

        Raises:
            Breach: the law does not hold.
        """
        kept, self._read = self._kept.get(id(recipe)), None
        self._next = kept
        try:
            decided = hunt(law, subject, recipe, build=self._build)
        except Breach:
            if kept is None:
                raise
            # What the law breaks on a case that others have read is not yet a breach.
            found_so_far(law, subject)
            return hunt(law, subject, recipe)
        else:
            if self._read and self._read.held and self._read.held.is_unchanged():
                self._kept[id(recipe)] = self._read
                self._read = None
            return decided
        finally:
            if self._read:
                self._kept.pop(id(recipe), None)

    def _build(self, recipe: Recipe, namespace: Namespace | None) -> Case:
        self._read = self._next or _built(Case(recipe, namespace))
        return self._read.case


def _built(case: Case) -> _Built:
    try:
        return _Built(case, Held(case.bound.values()))
    except CannotTell:
        return _Built(case, None)
