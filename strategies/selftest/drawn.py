"""What a strategy draws: the features of many recipes, the same ones in every run."""

from __future__ import annotations

from collections import Counter

from hypothesis import HealthCheck, given, settings, strategies as st

from hypothesis_pytrees import Recipe

# The same cases in every run.
STEADY = settings(
    max_examples=800,
    deadline=None,
    database=None,
    derandomize=True,
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
