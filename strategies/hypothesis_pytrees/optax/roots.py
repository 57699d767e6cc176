"""Trees of numbers for functions of trees, with every root that the other inputs rarely have."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Scope
from hypothesis_pytrees.leaves.leaves import NUMPY_ARRAYS, pool
from hypothesis_pytrees.trees.containers import CONTAINERS, NONE
from hypothesis_pytrees.trees.trees import draw_tree

from .params import PARAMETERS, described, draw_parameters

_NUMPY = tuple(kind for kind in NUMPY_ARRAYS if "leaf:numpy-float32" in kind.features)
# Functions of trees take NumPy arrays, too.
NUMBERS_IN_TREES: Sequence[Kind] = (*PARAMETERS, *_NUMPY)
_TUPLES = tuple(kind for kind in CONTAINERS if kind.name == "tuple")
_LISTS = tuple(kind for kind in CONTAINERS if kind.template == "[]")
# Twice what stands beside several tuples alone.
_ROOTS = (*_TUPLES, *_LISTS, NONE, NONE)


def draw_numbers(
    draw: st.DrawFn, scope: Scope, *, leaves: Sequence[Kind] = NUMBERS_IN_TREES
) -> str:
    """Draw a tree into a scope that other draws share, bind `params`, and return the name.

    Five of six trees are those of `draw_parameters`. The root of the others is a tuple, a list of
    nothing, `None`, or, if NumPy arrays are among the leaves, such an array.

    Args:
        draw: the draw function.
        scope: where to write.
        leaves: the kinds of the arrays; default `NUMBERS_IN_TREES`.
    """
    if draw(st.integers(0, 5)) < 5:
        return draw_parameters(draw, scope, leaves=leaves)
    arrays = tuple(kind for kind in leaves if kind in _NUMPY)
    roots = (*_ROOTS, *arrays * 3)
    inside = pool(tuple(leaves))
    text = draw_tree(draw, scope, leaves=inside, roots=roots, kinds=CONTAINERS, max_leaves=3)
    scope.note(*described(scope.value(text)))
    return scope.bind("params", text)
