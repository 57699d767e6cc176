"""Projections of trees, with the trees that they project."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import probe_first
from hypothesis_pytrees.core.recipe import Recipe, Scope

from .params import draw_parameters, sources

_P = "optax.projections.projection_"
# Functions of a tree, by the set that they project onto; they use the names `scale` and `normal`.
# Bounds are documented as "a scalar or tree with the same structure".
ONTO_SETS: Mapping[str, str] = {
    "non_negative": f"{_P}non_negative",
    "box": f"lambda tree: {_P}box(tree, -scale / 2, scale)",
    "box-of-trees": f"lambda tree: {_P}box(tree, like(tree, -scale / 2), like(tree, scale))",
    "hypercube": f"lambda tree: {_P}hypercube(tree, scale)",
    "simplex": f"lambda tree: {_P}simplex(tree, scale)",
    "l1_sphere": f"lambda tree: {_P}l1_sphere(tree, scale)",
    "l1_ball": f"lambda tree: {_P}l1_ball(tree, scale)",
    "l2_sphere": f"lambda tree: {_P}l2_sphere(tree, scale)",
    "l2_ball": f"lambda tree: {_P}l2_ball(tree, scale)",
    "linf_ball": f"lambda tree: {_P}linf_ball(tree, scale)",
}
ALONG_VECTORS: Mapping[str, str] = {
    "vector": f"lambda tree: {_P}vector(tree, normal)",
    "hyperplane": f"lambda tree: {_P}hyperplane(tree, normal, scale)",
    "halfspace": f"lambda tree: {_P}halfspace(tree, normal, scale)",
}
_LIKE = """\
def like(tree, number):
    return jtu.tree_map(lambda leaf: jnp.full_like(leaf, number), tree)
"""
# The numbers of a vector differ, and none is 0.
_NORMAL = "jtu.tree_map(lambda leaf: jnp.full_like(leaf, 2) - leaf * leaf / 64, tree)"
_CHANGES = ("leaf", "-1.5 * leaf", "leaf - 1", "leaf / 4", "leaf / 4 - 1")


def projections(functions: Mapping[str, str]) -> st.SearchStrategy[Recipe]:
    """Draw `project`, a function of a tree, `onto`, the name of its set, and a `tree`.

    Also `scale`, the number of the set, and `normal`, a tree like `tree`. The tree holds a number
    other than 0.

    Args:
        functions: texts of the functions by their names, such as `ONTO_SETS`.
    """
    return probe_first(sources, _projections(functions))


@st.composite
def _projections(draw: st.DrawFn, functions: Mapping[str, str]) -> Recipe:
    scope = Scope()
    draw_parameters(draw, scope, some=True)
    change = draw(st.sampled_from(_CHANGES))
    scope.bind("tree", f"jtu.tree_map(lambda leaf: {change}, params)")
    flat = [np.float64(leaf).ravel() for leaf in jtu.tree_leaves(scope.value("tree"))]
    if not np.concatenate(flat).any():
        scope.rebind("tree", "[tree, jax.device_put(np.float32([-0.5, 0.75]))]")
    scope.note(*_described(scope.value("tree")))
    onto = draw(st.sampled_from(tuple(functions)))
    scope.note(f"onto:{onto}")
    scope.bind("onto", repr(onto))
    scope.bind("scale", draw(st.sampled_from(("1.0", "0.5", "3.0", "12.0"))))
    scope.define(_LIKE)
    scope.bind("normal", _NORMAL)
    scope.bind("project", functions[onto])
    return scope.recipe()


def _described(tree: Any) -> Iterator[str]:
    leaves = jtu.tree_leaves(tree)
    facts = {
        "one-leaf-alone": any(leaf is tree for leaf in leaves),
        "mixed": len({leaf.dtype for leaf in leaves}) > 1,
        "bfloat16-alone": {str(leaf.dtype) for leaf in leaves} == {"bfloat16"},
        "zeros": any((np.float64(leaf) == 0).any() for leaf in leaves),
    }
    yield from (f"tree:{name}" for name, holds in facts.items() if holds)
