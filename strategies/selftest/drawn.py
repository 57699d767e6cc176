"""What a strategy draws: the features of many recipes, the same ones in every run."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable

from hypothesis import HealthCheck, Phase, find, given, seed, settings, strategies as st

from hypothesis_pytrees import Recipe

# The same cases in every run.
STEADY = settings(
    max_examples=800,
    deadline=None,
    database=None,
    derandomize=True,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def features_of(strategy: st.SearchStrategy[Recipe], *, examples: int = 800) -> Counter[str]:
    """Count the features of the recipes that a strategy draws, each of which is executed.

    Args:
        strategy: what draws them.
        examples: how many are drawn, at least 1; default 800.
    """
    found: Counter[str] = Counter()

    @settings(STEADY, max_examples=examples)
    @given(strategy)
    def draw(recipe: Recipe) -> None:
        recipe.run()
        found.update(recipe.features)

    draw()
    return found


def drawn_until_met(
    strategy: st.SearchStrategy[Recipe],
    wanted: Collection[Hashable],
    tell: Callable[[Recipe], Iterable[Hashable]] = lambda recipe: recipe.features,
    *,
    rounds: int = 20,
) -> Counter[Hashable]:
    """Count what is told of recipes, drawn until all that is wanted was told, in rounds of 1,000.

    What a fixed number of draws holds depends on the modules that are loaded, as Hypothesis draws
    from their constants.

    Args:
        strategy: what draws them.
        wanted: what some recipe has to tell.
        tell: what a recipe tells; default its features.
        rounds: how many rounds at most, at least 1; default 20.
    """
    found: Counter[Hashable] = Counter()

    def draw(recipe: Recipe) -> None:
        found.update(tell(recipe))

    once = settings(STEADY, max_examples=1000, derandomize=False, phases=[Phase.generate])
    for number in range(rounds):
        if not found.keys() >= set(wanted):
            # A seed of its own, as rounds of one function would all draw the same.
            once(seed(number)(given(strategy)(draw)))()
    return found


def shrinks(
    strategy: st.SearchStrategy[Recipe],
    holds: Callable[[Recipe], object],
    check: Callable[[Recipe], None],
    *,
    options: settings = STEADY,
    searches: int = 8,
) -> None:
    """Assert that one of some searches ends at a small recipe.

    Hypothesis may stop at a recipe that none of its steps makes smaller, which depends on the one
    that it began with.

    Args:
        strategy: what draws recipes.
        holds: what the recipe has to fulfil.
        check: asserts that a recipe is small.
        options: settings of a search; default `STEADY`.
        searches: how many, at least 1; default 8.

    Raises:
        AssertionError: that of the last search.
    """
    once = settings(options, derandomize=False)
    for start in range(searches):
        found = find(
            strategy, lambda one: bool(holds(one)), settings=once, random=random.Random(start)
        )
        if start == searches - 1:
            check(found)
        with contextlib.suppress(AssertionError):
            check(found)
            return
