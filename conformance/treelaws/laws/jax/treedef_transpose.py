"""JAX: `tree_transpose` with an inner structure that is inferred."""

from __future__ import annotations

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.trees.positions import names_of
from hypothesis_pytrees.trees.trees import draw_tree
from treelaws.equality import refuses

from .treedef import _TRANSPOSE, law, transpose_infers_the_inner_structure


@st.composite
def _unequal(draw: st.DrawFn) -> Recipe:
    """Bind `outer`, a tree, and `tree`, which has two structures in the places of its leaves.

    Feature: `rows:equal-size` if the two have as many leaves.
    """
    scope = Scope()
    scope.bind("outer", f"[{draw_tree(draw, scope, max_leaves=2)}, 0, 0]")
    scope.bind("inner", draw_tree(draw, scope, max_leaves=3))
    flat = jtu.tree_leaves(names_of(scope)["inner"])
    others = ("[inner]", "(inner, 0)", "[inner, inner, 0]")
    scope.bind("other", draw(st.sampled_from(others)))
    scope.note(
        *(
            ["rows:equal-size"]
            if len(jtu.tree_leaves(names_of(scope)["other"])) == len(flat)
            else []
        )
    )
    rows = "[other] + [inner] * (structure.num_leaves - 1)"
    place = draw(st.integers(0, 1))
    scope.bind("structure", "jtu.tree_structure(outer)")
    scope.bind("rows", rows if place == 0 else f"({rows})[::-1]")
    scope.bind("tree", "structure.unflatten(rows)")
    return scope.recipe()


@law(
    "`tree_transpose` that infers the inner structure raises TypeError or ValueError if the inner "
    "trees have several",
    source=_TRANSPOSE,
    level="should",
    case=_unequal(),
    parents=(transpose_infers_the_inner_structure,),
)
def transpose_infers_no_structure_from_several(lib, case):
    outer = lib.tree_util.tree_structure(case.outer)
    refuses((TypeError, ValueError), lambda: lib.tree_util.tree_transpose(outer, None, case.tree))
