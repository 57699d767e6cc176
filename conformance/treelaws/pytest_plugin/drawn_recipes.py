"""Recipes that are drawn once for all laws that read the same cases."""

from __future__ import annotations

import functools
import hashlib
import random
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import hypothesis
from hypothesis import Phase, given, seed, strategies as st
from hypothesis.errors import HypothesisException

from hypothesis_pytrees import Recipe
from treelaws.compat.hypothesis import same_draws
from treelaws.core import settings
from treelaws.core.law import Law
from treelaws.core.profiles import NO_HEALTH_CHECKS
from treelaws.core.subject import Subject

from .built_cases import BuiltCases

# The tests of the laws that share recipes run one after the other.
_MOST_KEPT = 8


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


_kept: OrderedDict[Hashable, Drawn] = OrderedDict()


@functools.cache
def key_of(law: Law) -> Hashable:
    """Return a key that laws of one topic share if they read the same cases."""
    return law.topic.id, same_draws(law.case)


def drawn(
    law: Law, subject: Subject, *, start: int | str | None, options: hypothesis.settings
) -> Drawn:
    """Return the recipes of a law, which are drawn if no law with the same key has asked for them.

    Args:
        law: the law.
        subject: a subject of the suite.
        start: seed of the search; `None` if each key has its own, which is the same in every run
            with the profile `ci`.
        options: settings of the search.
    """
    key = (key_of(law), subject.name, start, options.max_examples)
    if key not in _kept:
        _kept[key] = _draw(law, subject, _seed(subject) if start is None else start, options)
        if len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    _kept.move_to_end(key)
    return _kept[key]


def spread(recipes: Sequence[Recipe], count: int) -> Sequence[Recipe]:
    """Return at most this many recipes from the whole list: those drawn early are small."""
    if count >= len(recipes):
        return recipes
    return [recipes[number * len(recipes) // count] for number in range(count)]


def _seed(subject: Subject) -> int:
    if settings.profile == "ci":
        return int.from_bytes(hashlib.sha256(subject.name.encode()).digest()[:8], "big")
    # Not the generator of the process, which Hypothesis seeds.
    return random.SystemRandom().getrandbits(64)


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
        # The test of the law says what is wrong with its strategy.
        return Drawn(start, (), BuiltCases())
    return Drawn(start, tuple(recipes), BuiltCases())
