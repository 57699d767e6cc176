"""JAX: further collectives and their options over an axis that `vmap` maps, against NumPy."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Kind, Recipe, Scope
from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.ways import way
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.positions import names_of
from hypothesis_pytrees.trees.trees import draw_tree
from treelaws.equality import same

from .collectives import law

_API = "https://docs.jax.dev/en/latest/_autosummary"
# Each names a tree and the axis; the second text is what it makes of the rows of a leaf, an array
# whose first axis is the mapped one and whose second has as many entries.
_CALLS = (
    ("pbroadcast", "jax.lax.pbroadcast(tree, 'rows', 0)", "rows[0][None].repeat(len(rows), 0)"),
    ("pbroadcast", "jax.lax.pbroadcast(tree, 'rows', 1)", "rows[1][None].repeat(len(rows), 0)"),
    ("gather-inner", "jax.lax.all_gather(tree, 'rows', axis=1)",
     "np.stack([np.stack(list(rows), 1)] * len(rows))"),
    ("gather-last", "jax.lax.all_gather(tree, 'rows', axis=-1)",
     "np.stack([np.stack(list(rows), -1)] * len(rows))"),
    ("gather-tiled", "jax.lax.all_gather(tree, 'rows', tiled=True)",
     "np.stack([np.concatenate(list(rows), 0)] * len(rows))"),
    ("gather-tiled-inner", "jax.lax.all_gather(tree, 'rows', axis=1, tiled=True)",
     "np.stack([np.concatenate(list(rows), 1)] * len(rows))"),
    ("scatter", "jax.lax.psum_scatter(tree, 'rows')", "rows.sum(0)"),
    ("scatter-tiled", "jax.lax.psum_scatter(tree, 'rows', tiled=True)", "rows.sum(0)[:, None]"),
    ("scatter-inner", "jax.lax.psum_scatter(tree, 'rows', scatter_dimension=1)",
     "rows.sum(0).swapaxes(0, 1)[: len(rows)]"),
    ("to-all", "jax.lax.all_to_all(tree, 'rows', 0, 0)", "rows.swapaxes(0, 1)"),
    ("to-all-inner", "jax.lax.all_to_all(tree, 'rows', 0, 1)", "np.moveaxis(rows, 0, 2)"),
    ("to-all-tiled", "jax.lax.all_to_all(tree, 'rows', 0, 0, tiled=True)", "rows.swapaxes(0, 1)"),
    ("permute-some", "jax.lax.ppermute(tree, 'rows', [(1, 0)])",
     "np.concatenate([rows[1:2], 0 * rows[1:]])"),
    ("permute-none", "jax.lax.ppermute(tree, 'rows', [])", "0 * rows"),
    ("shuffle", "jax.lax.pshuffle(tree, 'rows', [1, 0])", "rows[::-1]"),
)  # fmt: skip
_WAYS = tuple(
    way(name, f"(lambda tree: {call}, lambda rows: {wanted})") for name, call, wanted in _CALLS
)
_DTYPES = ("float32", "int32", "complex64", "bfloat16")
_SQUARE = "jax.device_put(np.arange(8).reshape(2, 2, 2).astype(jnp.{}))"
_LEAVES = tuple(
    Kind("leaf", _SQUARE.format(name), (), (f"leaf:square-{name}",)) for name in _DTYPES
)
_MAPS = (
    ("plain", "jax.vmap(call, axis_name='rows')"),
    ("jit", "jax.jit(jax.vmap(call, axis_name='rows'))"),
    ("vjp", "lambda tree: jax.vjp(jax.vmap(call, axis_name='rows'), tree)[0]"),
)


@st.composite
def _collected(draw: st.DrawFn) -> Recipe:
    """Bind `tree`, of arrays of two rows, `run`, which calls a collective, and `combine`.

    `combine` makes of the rows of a leaf what the collective is to give.
    """
    scope = Scope()
    scope.bind(
        "tree",
        draw_tree(draw, scope, leaves=pool(_LEAVES), kinds=(*CONTAINERS, *NODES), max_leaves=3),
    )
    if not jtu.tree_leaves(names_of(scope)["tree"]):
        scope.rebind("tree", f"(tree, None, {_SQUARE.format('float32')})")
    drawn = draw(st.sampled_from(available(_WAYS)))
    scope.note(*drawn.features)
    scope.statement(f"call, combine = {drawn.template}")

    name, mapped = draw(st.sampled_from(_MAPS))
    scope.note(f"mapped:{name}")
    scope.bind("run", mapped)
    return scope.recipe()


@law(
    "each collective, whatever its options, combines the rows of each leaf over an axis that "
    "`vmap` maps as its page says",
    source=f"{_API}/jax.lax.all_gather.html",
    level="should",
    case=_collected(),
)
def options_of_collectives_mean_what_they_say(lib, case):
    found = jtu.tree_map(jnp.asarray, case.run(case.tree))
    same(found, jtu.tree_map(lambda leaf: _combined(case, leaf), case.tree))


def _combined(case, leaf):
    return jnp.asarray(case.combine(np.asarray(leaf)).astype(leaf.dtype))
