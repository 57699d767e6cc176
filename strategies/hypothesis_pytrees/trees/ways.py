"""Ways in which JAX calls, maps or differentiates a function of a tree."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.ways import COMPILED, FORMS, bind_way


@st.composite
def in_ways(draw: st.DrawFn, drawn: st.SearchStrategy[Recipe], ways: Sequence[Kind]) -> Recipe:
    """Draw a case, and `run`, which calls a function on a tree in some way: `run(function, tree)`.

    Args:
        drawn: the case; its names stay.
        ways: the ways; one that the releases have is drawn.
    """
    scope = Scope()
    scope.include(draw(drawn))
    bind_way(draw, scope, ways, "function, tree", forms=(*FORMS, COMPILED))
    return scope.recipe()
