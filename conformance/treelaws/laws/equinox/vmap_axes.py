"""Equinox: one axis of `filter_vmap` for everything, and axes of results in every form."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Recipe, Scope, trees
from hypothesis_pytrees.trees.batching import batched, batches
from treelaws.equality import same

from ._functions import doubled, is_array
from ._mapped import both
from .vmap import axes_that_are_a_prefix_mean_what_jax_means, law

_DOCS = "https://docs.kidger.site/equinox/api/transformations/#equinox.filter_vmap"
_SIZE = 2
# Square arrays: each axis has the same size, and slices along two axes differ.
_SQUARES = st.sampled_from(
    [
        Recipe(expression=f"{made}(np.arange(4).reshape(2, 2))")
        for made in ("jax.device_put", "np.float32", "np.int32")
    ]
)
_STATIC = st.sampled_from([Recipe(expression=text) for text in ("'text'", "jnp.tanh", "True")])
_FORMS = ("{}", "eqx.if_array({})", "lambda leaf: {} if eqx.is_array(leaf) else None")
_SEVERAL = [kind for kind in CONTAINERS if kind.arity > 1]


@st.composite
def _everywhere(draw: st.DrawFn) -> Recipe:
    """Draw two trees of square arrays, and forms of one axis to map and of one for the results."""
    scope = Scope()
    forms = draw(st.tuples(st.sampled_from(_FORMS), st.sampled_from(_FORMS)))
    axes = draw(st.tuples(st.integers(-2, 1), st.integers(-2, 1)))
    held = _SQUARES if "{}" in forms else st.one_of(_SQUARES, _STATIC)
    for name in ("tree", "other"):
        scope.bind(name, draw(trees(held, kinds=CONTAINERS, max_leaves=3)))
    scope.bind("beside", draw(_SQUARES))
    for name, form, axis in zip(("inside", "outside"), forms, axes, strict=True):
        scope.bind(name, form.format(axis))
        scope.bind(f"{name}_axis", str(axis))
    return scope.recipe()


@law(
    "one axis, or one callable, in `in_axes` or `out_axes` stands for all arguments, or results",
    source=_DOCS,
    needs={"filter_vmap", "if_array"},
    case=_everywhere(),
)
def one_axis_stands_for_everything(lib, case):
    trees = (case.tree, case.beside), (case.other, case.beside)
    mapped = lib.filter_vmap(both, in_axes=case.inside, out_axes=case.outside)
    slices = [both(*_slice(trees, index, case.inside_axis)) for index in range(_SIZE)]
    same(mapped(*trees), jtu.tree_map(lambda *held: _stacked(held, case.outside_axis), *slices))


@law(
    "with the axes of the argument for the results, `filter_vmap` puts each mapped axis back",
    source=_DOCS,
    needs={"filter_vmap"},
    case=batches(trees(batched(_SIZE, static=True), roots=_SEVERAL), size=_SIZE, callables=True),
    parents=[axes_that_are_a_prefix_mean_what_jax_means],
)
def each_axis_is_put_back(lib, case):
    mapped = lib.filter_vmap(doubled, in_axes=(case.axes,), out_axes=case.axes)
    same(mapped(case.tree), doubled(case.tree))


def _slice(tree, index, axis):
    def take(leaf):
        return jnp.asarray(np.take(np.asarray(leaf), index, axis)) if is_array(leaf) else leaf

    return jtu.tree_map(take, tree)


def _stacked(leaves, axis):
    return jnp.stack(leaves, axis) if is_array(leaves[0]) else leaves[0]
