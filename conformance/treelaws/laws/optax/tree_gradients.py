"""Optax: a tree whose gradients are scaled."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.optax.rules.scaled import scaled_trees
from treelaws.equality import same

from ._inputs import DOCS
from .tree import law


@law(
    "`scale_gradient` gives its tree of arrays of any dtype unchanged, and multiplies the gradient "
    "of each floating or complex array by the factor: a number, an array or traced",
    source=f"{DOCS}utilities.html#optax.scale_gradient",
    needs={"scale_gradient"},
    level="should",
    case=scaled_trees(),
)
def gradients_are_scaled(lib, case):
    ones = jtu.tree_map(_cotangent, case.tree)

    def pulled(factor):
        out, pull = jax.vjp(lambda tree: lib.scale_gradient(tree, factor), case.tree)
        return out, _floats(pull(ones)[0])

    out, found = case.form(pulled, case.factor)
    same(jtu.tree_map(np.asarray, out), jtu.tree_map(np.asarray, case.tree))
    wanted = [np.full(leaf.shape, case.factor, leaf.dtype) for leaf in _floats(case.tree)]
    same([np.asarray(leaf) for leaf in found], wanted)


def _cotangent(leaf):
    """Return ones for a floating array, and what stands for the cotangent of another."""
    if jnp.issubdtype(leaf.dtype, jnp.inexact):
        return jnp.ones_like(leaf)
    return np.zeros(leaf.shape, jax.dtypes.float0)


def _floats(tree):
    return [leaf for leaf in jtu.tree_leaves(tree) if jnp.issubdtype(leaf.dtype, jnp.inexact)]
