"""Recipes that are drawn once for all laws that read the same cases."""

from __future__ import annotations

import functools
import hashlib
import sys
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import hypothesis
from hypothesis import Phase, given, seed, strategies as st
from hypothesis.errors import HypothesisException

from hypothesis_pytrees import Recipe
from treelaws.compat.hypothesis import same_draws
from treelaws.core.examples.profiles import NO_HEALTH_CHECKS, examples_of
from treelaws.core.law import Law
from treelaws.core.subject import Subject

from .built_cases import BuiltCases


class Drawn(NamedTuple):
    """Recipes that one search has drawn.

    Attributes:
        start: seed of the search; another search with it draws the same recipes until one fails.
        recipes: the recipes, in the order drawn; none if drawing them raised.
        cases: their cases, of which laws build those that they need.
    """

    start: int | str
    recipes: tuple[Recipe, ...]
    cases: BuiltCases


@functools.cache
def key_of(law: Law) -> Hashable:
    """Return a key that laws of one topic share if they read the same cases."""
    return law.topic.id, same_draws(law.case)


@functools.cache
def sharers(law: Law) -> list[Law]:
    """Return the laws that read the same cases, with the law itself."""
    module = vars(sys.modules[law.check.__module__])
    laws = (found for found in module.values() if isinstance(found, Law))
    return [found for found in laws if key_of(found) == key_of(law)]


def most_examples(law: Law, subject: Subject, *, profile: str | None = None) -> int:
    """Return the largest number of examples of the laws that read the same cases.

    Args:
        law: one of them.
        subject: the subject.
        profile: name of the profile; default the one of the command line.
    """
    return max(examples_of(one, subject, profile=profile) for one in sharers(law))


def fixed_seed(subject: Subject) -> int:
    """Return the seed of a subject, which is the same in every run."""
    return seed_of(subject.name)


def seed_of(text: str) -> int:
    """Return a seed that is the same in every run."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


class DrawnRecipes:
    """The recipes of laws, drawn once for all laws with the same key.

    Args:
        most: number of lists of recipes to keep; default all.

    Attributes:
        without_place: cases of laws in which a user's node found no place, and the user's subject.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, Drawn] = OrderedDict()
        self.without_place: set[Hashable] = set()

    def of(
        self, law: Law, subject: Subject, *, start: int | str, options: hypothesis.settings
    ) -> Drawn:
        """Return the recipes of a law, which are drawn if no law with the same key asked for them.

        Args:
            law: the law.
            subject: the subject.
            start: seed of the search.
            options: settings of the search.
        """
        key = (key_of(law), subject.name, start, options.max_examples)
        if key not in self._kept:
            self._kept[key] = _draw(law, subject, start, options)
            if self._most is not None and len(self._kept) > self._most:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]


def spread(recipes: Sequence[Recipe], count: int) -> Sequence[Recipe]:
    """Return at most this many recipes from the whole list, of which the first are the smallest."""
    if count >= len(recipes):
        return recipes
    return [recipes[number * len(recipes) // count - 1] for number in range(1, count + 1)]


def _draw(law: Law, subject: Subject, start: int | str, options: hypothesis.settings) -> Drawn:
    recipes: list[Recipe] = []

    # In the form of the test of a law, so that a search with the same seed draws the same.
    @seed(start)
    @hypothesis.settings(
        options,
        phases=[Phase.generate],
        database=None,
        suppress_health_check=NO_HEALTH_CHECKS,
    )
    @given(data=st.data())
    def keep(data: st.DataObject) -> None:
        recipes.append(data.draw(law.strategy(subject), label="recipe"))

    try:
        keep()
    except HypothesisException:
        # A search of the law's own says what is wrong with its strategy.
        return Drawn(start, (), BuiltCases())
    return Drawn(start, tuple(recipes), BuiltCases())
