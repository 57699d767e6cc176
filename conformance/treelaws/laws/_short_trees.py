"""Short trees: lists and tuples of integers or of None, and integers of other types."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe
from hypothesis_pytrees.leaves.leaves import INT_SUBCLASSES, recipe_of

# Sequences of integers are what shapes and axes are written as; a member of an enum may be one.
_ROWS = (
    *(
        Recipe(expression=text, features=frozenset((kind, "leaf:int")))
        for kind, text in (
            *(("list", text) for text in ("[1]", "[2, 1]", "[-2]", "[-1, -2]")),
            *(("tuple", text) for text in ("(1,)", "(2, 1)", "(-2,)", "(0, 1, 2)")),
        )
    ),
    *(
        Recipe(expression=text, features=frozenset((kind, "None", f"{kind}>None")))
        for kind, text in (
            *(("list", text) for text in ("[None]", "[None, None]")),
            *(("tuple", text) for text in ("(None,)", "(None, None)")),
        )
    ),
)
_LEAVES = tuple(map(recipe_of, INT_SUBCLASSES))


def or_short(
    drawn: st.SearchStrategy[Recipe], *, share: int = 8, leaves: bool = True
) -> st.SearchStrategy[Recipe]:
    """Draw from a strategy, or a short tree of integers or of None.

    Args:
        drawn: the strategy.
        share: one of so many draws is a short tree; default 8.
        leaves: whether it may be a single leaf; default `True`.
    """
    short = st.sampled_from((*_ROWS, *_LEAVES) if leaves else _ROWS)
    return st.integers(1, share).flatmap(lambda number: short if number == share else drawn)
