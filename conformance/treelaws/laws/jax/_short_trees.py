"""Short trees: lists and tuples of integers or of None, and integers of other types."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe
from hypothesis_pytrees.leaves.leaves import INT_SUBCLASSES, recipe_of

# Sequences of integers are what shapes and axes are written as; a member of an enum may be one.
_SHORT = (
    *(
        Recipe(expression=text, features=frozenset((kind, "leaf:int")))
        for kind, text in (
            *(("list", text) for text in ("[1]", "[2, 1]", "[-2]", "[-1, -2]")),
            *(("tuple", text) for text in ("(1,)", "(2, 1)", "(-2,)", "(0, 1, 2)")),
        )
    ),
    Recipe(expression="[None]", features=frozenset(("list", "None", "list>None"))),
    Recipe(expression="(None, None)", features=frozenset(("tuple", "None", "tuple>None"))),
    *map(recipe_of, INT_SUBCLASSES),
)


def or_short(drawn: st.SearchStrategy[Recipe], *, share: int = 8) -> st.SearchStrategy[Recipe]:
    """Draw from a strategy, or a short tree of integers or of None.

    Args:
        drawn: the strategy.
        share: one of so many draws is a short tree; default 8.
    """
    short = st.sampled_from(_SHORT)
    return st.integers(1, share).flatmap(lambda number: short if number == share else drawn)
