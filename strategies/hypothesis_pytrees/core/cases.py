"""Cases: several recipes joined into one, each bound to a name."""

from __future__ import annotations

from hypothesis import strategies as st

from .recipe import Recipe, Scope


@st.composite
def cases(draw: st.DrawFn, /, **strategies: st.SearchStrategy[Recipe]) -> Recipe:
    """Draw independent recipes and bind each to its name: `cases(one=trees(), other=trees())`.

    Args:
        strategies: strategy of recipes by the name to bind.
    """
    scope = Scope()
    for name, strategy in strategies.items():
        scope.bind(name, draw(strategy))
    return scope.recipe()
