"""Mutants of projections."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant

_ID = "optax.projections."
_SETS = ("box", "hypercube", "simplex", "l1_sphere", "l1_ball", "l2_sphere", "l2_ball", "linf_ball")
_VECTORS = ("vector", "hyperplane", "halfspace")


def _each(optax, names, change):
    """Replace projections by what `change` makes of their results."""
    found = {}
    for name in names:
        whole = getattr(optax.projections, f"projection_{name}", None)
        if whole is not None:
            found[f"projections.projection_{name}"] = change(whole)
    return found


def _leafwise(project):
    """Project each leaf by itself."""
    return lambda tree, *args: jtu.tree_map(lambda leaf: project(leaf, *args), tree)


def _in_float32(project):
    return lambda tree, *args: jtu.tree_map(jnp.float32, project(tree, *args))


def _too_far(project):
    return lambda tree, *args: jtu.tree_map(lambda leaf: leaf * 1.25, project(tree, *args))


@mutant("optax", kills=[_ID + "a_projection_is_the_nearest_point"])
def each_leaf_is_projected_by_itself(optax):
    """A projection takes each leaf for a vector of its own."""
    return _each(optax, _SETS, _leafwise)


@mutant("optax", kills=[_ID + "a_projection_along_a_tree_is_the_nearest_point"])
def projections_along_a_tree_go_too_far(optax):
    """A projection along a tree goes a quarter too far."""
    return _each(optax, _VECTORS, _too_far)


@mutant(
    "optax",
    kills=[_ID + "a_projection_keeps_the_types", _ID + "a_projection_along_a_tree_keeps_the_types"],
)
def projections_are_in_float32(optax):
    """A projection returns float32 for every leaf."""
    return _each(optax, (*_SETS, *_VECTORS), _in_float32)
