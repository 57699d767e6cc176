"""Axes that an array of a tree lacks, and sizes that it does not have, and ways to name them."""

from __future__ import annotations

from collections.abc import Sequence

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import GRAPH_OPTIONS
from hypothesis_pytrees.core.ways import way
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.positions import names_of
from hypothesis_pytrees.trees.trees import draw_tree

# Ways to map over `axes` of `tree`, with `options`.
_MAPPED = "lambda tree: tree, in_axes=axes, **options"
MAPPED: Sequence[Kind] = (
    way("vmap", f"jax.vmap({_MAPPED})(tree)"),
    way("vmap-of-a-constant", "jax.vmap(lambda tree: 1, in_axes=axes, **options)(tree)"),
    way("vmap-in-jit", f"jax.jit(jax.vmap({_MAPPED}))(tree)"),
    way("vmap-of-jit", "jax.vmap(jax.jit(lambda tree: tree), in_axes=axes, **options)(tree)"),
    way("vmap-shapes", f"jax.eval_shape(jax.vmap({_MAPPED}), tree)"),
    way("vmap-of-vmap", f"jax.vmap(lambda _: jax.vmap({_MAPPED})(tree))(jnp.zeros(2))"),
    way(
        "vmap-spmd",
        "jax.vmap(lambda tree: tree, in_axes=axes, spmd_axis_name='all', **options)(tree)",
    ),
    way("pmap", f"jax.pmap({_MAPPED})(tree)"),
)
# Ways to go over the first axis of `tree`, which has `size` rows.
ROWS: Sequence[Kind] = (
    way("scan", "jax.lax.scan(lambda held, row: (held, row), None, tree)"),
    way("scan-length", "jax.lax.scan(lambda held, row: (held, row), None, tree, length=size)"),
    way("scan-unrolled", "jax.lax.scan(lambda held, row: (held, row), None, tree, unroll=2)"),
    way("map", "jax.lax.map(lambda row: row, tree)"),
)
# Ways to give the results of a mapped function the axes `axes`.
RESULTS: Sequence[Kind] = (
    way("vmap-results", "jax.vmap(lambda _: tree, out_axes=axes)(jnp.zeros(size))"),
    way(
        "vmap-results-of-a-size",
        "jax.vmap(lambda _: tree, in_axes=None, out_axes=axes, axis_size=size)(1)",
    ),
)
NNX_MAPPED: Sequence[Kind] = (
    way("nnx-vmap", f"nnx.vmap({_MAPPED})(tree)"),
    way("nnx-vmap-tree", f"nnx.vmap({_MAPPED}, graph=False)(tree)", needs=(GRAPH_OPTIONS,)),
    way(
        "nnx-vmap-no-updates",
        f"nnx.vmap({_MAPPED}, graph_updates=False)(tree)",
        needs=(GRAPH_OPTIONS,),
    ),
    way("nnx-pmap", f"nnx.pmap({_MAPPED})(tree)"),
)
NNX_ROWS: Sequence[Kind] = (
    way(
        "nnx-scan",
        "nnx.scan(lambda held, row: (held, row), in_axes=(nnx.Carry, 0), "
        "out_axes=(nnx.Carry, 0))(1.0, tree)",
    ),
)
NNX_RESULTS: Sequence[Kind] = (
    way("nnx-vmap-results", "nnx.vmap(lambda _: tree, out_axes=axes)(jnp.zeros(size))"),
)
EQUINOX_MAPPED: Sequence[Kind] = (
    way("filter-vmap", f"eqx.filter_vmap({_MAPPED})(tree)"),
    way("filter-vmap-in-jit", f"eqx.filter_jit(eqx.filter_vmap({_MAPPED}))(tree)"),
    way("filter-pmap", f"eqx.filter_pmap({_MAPPED})(tree)"),
)
EQUINOX_RESULTS: Sequence[Kind] = (
    way("filter-vmap-results", "eqx.filter_vmap(lambda _: tree, out_axes=axes)(jnp.zeros(size))"),
)
_SHORT = (
    ("jnp.float32(1)", "jax.device_put(np.int32(3))", "jax.random.key(0)", "np.float32(2)"),
    ("jnp.zeros(size)", "jax.random.split(jax.random.key(0), size)", "np.zeros(size, np.int32)"),
)
_AXES = (0, 1, -1, -2)
_FORMS = (
    ("number", "{axis}"),
    ("tuple", "({axis},)"),
    ("tree", "(jtu.tree_map(lambda _: {axis}, tree),)"),
)


@st.composite
def axis_misfits(
    draw: st.DrawFn,
    mapped: Sequence[Kind] = (),
    rows: Sequence[Kind] = (),
    results: Sequence[Kind] = (),
) -> Recipe:
    """Bind `tree`, of which one array does not fit `axes`, and `attempt`, which maps over them.

    The array lacks the axis, or has another size along it than the others or than `axis_size`.
    Features: `misfit:no-axis`, `misfit:size`, `misfit:root` if there is no other array,
    `option:axis_size`, `option:axis_name`, `axes:<form>`, `axis:negative`.

    Args:
        mapped: ways with `axes` and `options`.
        rows: ways over the first axis.
        results: ways with `axes` for results, which have one more axis.
    """
    scope = Scope()
    drawn = draw(st.sampled_from(available((*mapped, *rows, *results))))
    scope.define(*drawn.definitions)
    scope.note(*drawn.features)
    # There is one device.
    one = any("pmap" in feature for feature in drawn.features)
    size = 1 if one else draw(st.integers(1, 2))
    scope.bind("size", str(size))
    axis = 0 if drawn in rows else draw(st.sampled_from(_AXES))
    if drawn in results:
        # Of a result without axes, which gets one, 0 and -1 are axes.
        axis = draw(st.sampled_from((1, 2, -2, -3)))
    scope.note(*(["axis:negative"] if axis < 0 else []))
    sized = drawn in mapped and draw(st.booleans())
    root = draw(st.integers(0, 2)) == 0
    other = drawn not in results and (sized or not root) and draw(st.integers(0, 2)) == 0
    if other:
        scope.note("misfit:size")
        text = "jnp.zeros((size + 1,) * 3)"
    else:
        scope.note("misfit:no-axis")
        least = axis + 1 if axis >= 0 else -axis
        rank = draw(st.integers(0, min(least - 1 - (drawn in results), 1)))
        text = draw(st.sampled_from(_SHORT[rank]))
    scope.bind("misfit", text)
    if root:
        scope.note("misfit:root")
        scope.bind("tree", "misfit")
    else:
        _bind_around(draw, scope)
    options = ["'axis_size': size"] if sized else []
    scope.note(*(["option:axis_size"] if sized else []))
    if draw(st.booleans()):
        scope.note("option:axis_name")
        options.append("'axis_name': 'all'")
    scope.bind("options", f"{{{', '.join(options)}}}")
    forms = _FORMS[:1] if drawn in results else _FORMS
    name, form = draw(st.sampled_from(forms))
    scope.note(f"axes:{name}")
    scope.bind("axes", form.format(axis=axis))
    scope.bind("attempt", f"lambda: {drawn.template}")
    return scope.recipe()


def _bind_around(draw: st.DrawFn, scope: Scope) -> None:
    """Bind `tree`, which holds the misfit between arrays that fit."""
    fits = pool((Kind("leaf", "jnp.zeros((size, size, size))", (), ("leaf:fits",)),))
    kinds = (*CONTAINERS, *NODES)
    scope.bind("context", draw_tree(draw, scope, leaves=fits, kinds=kinds, max_leaves=3))
    count = len(jtu.tree_leaves(names_of(scope)["context"]))
    number = draw(st.integers(0, count))
    if number == count:
        scope.bind("tree", "[context, jnp.zeros((size, size, size)), misfit]")
        return
    scope.statement("flat, structure = jtu.tree_flatten(context)")
    parts = f"[*flat[:{number}], misfit, *flat[{number + 1} :]]"
    scope.bind("tree", f"[jtu.tree_unflatten(structure, {parts}), jnp.zeros((size, size, size))]")
