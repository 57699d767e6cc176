"""Optax: projections of trees."""

from __future__ import annotations

import numpy as np

from hypothesis_pytrees.optax.projections import ALONG_VECTORS, ONTO_SETS, projections
from treelaws.core.law import Topic
from treelaws.equality import same, true

from ._inputs import DOCS, types
from ._projections_model import flat, nearest

law = Topic("optax.projections", "Optax: projections", family="optax")
_PAGE = f"{DOCS}projections.html"
_SETS = {f"projections.projection_{name}" for name in ONTO_SETS if name != "box-of-trees"}
_VECTORS = {f"projections.projection_{name}" for name in ALONG_VECTORS}


@law(
    "a projection of a tree is the nearest point of the set, where all numbers of the tree are one "
    "vector; bounds are a number for all or a tree",
    source=_PAGE,
    needs=_SETS,
    case=projections(ONTO_SETS),
)
def a_projection_is_the_nearest_point(lib, case):
    _is_nearest(case)


@law(
    "a projection along a tree is the nearest point of the line, the hyperplane or the halfspace, "
    "where all numbers of the tree are one vector",
    source=_PAGE,
    needs=_VECTORS,
    case=projections(ALONG_VECTORS),
)
def a_projection_along_a_tree_is_the_nearest_point(lib, case):
    _is_nearest(case)


@law(
    "a projected tree has the structure of the tree, and its shapes and dtypes",
    source=_PAGE,
    needs=_SETS,
    level="should",
    case=projections(ONTO_SETS),
)
def a_projection_keeps_the_types(lib, case):
    same(types(case.project(case.tree)), types(case.tree))


@law(
    "a projection along a tree has the structure of what it projects, and its shapes and dtypes",
    source=_PAGE,
    needs=_VECTORS,
    level="should",
    case=projections(ALONG_VECTORS),
)
def a_projection_along_a_tree_keeps_the_types(lib, case):
    same(types(case.project(case.tree)), types(case.tree))


def _is_nearest(case):
    got, wanted = flat(case.project(case.tree)), nearest(case)
    if case.onto == "l1_sphere":
        # The sign of what was 0 is free.
        got = abs(got) * (flat(case.tree) == 0) + got * (flat(case.tree) != 0)
    true(bool(np.allclose(got, wanted, rtol=0.03, atol=0.03)), got, f"about {wanted}")
