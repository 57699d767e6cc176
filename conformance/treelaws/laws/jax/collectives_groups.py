"""JAX: collectives of trees within groups of devices, against NumPy."""

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
from hypothesis_pytrees.trees.trees import draw_tree
from treelaws.equality import same

from .collectives import law

# Its example has the groups [[0, 2], [3, 1]] and the rows in their order; so has `psum_scatter`. No
# page speaks of the order in `all_to_all`.
_SOURCE = "https://docs.jax.dev/en/latest/_autosummary/jax.lax.all_gather.html"
# Of four devices; each may stand anywhere.
_GROUPS = ("[[0, 1], [2, 3]]", "[[0, 2], [1, 3]]", "[[3, 0], [2, 1]]", "[[0, 1, 2, 3]]")
# Each names a tree and the groups; the second text is what it makes of the rows of a group.
_CALLS = (
    ("psum", "jax.lax.psum({})", "[rows.sum(0)] * len(rows)"),
    ("pmean", "jax.lax.pmean({})", "[rows.sum(0) / len(rows)] * len(rows)"),
    ("pmax", "jax.lax.pmax({})", "[rows.max(0)] * len(rows)"),
    ("pmin", "jax.lax.pmin({})", "[rows.min(0)] * len(rows)"),
    ("gather", "jax.lax.all_gather({})", "[rows] * len(rows)"),
    ("gather-tiled", "jax.lax.all_gather({}, tiled=True)", "[np.concatenate(rows)] * len(rows)"),
    ("scatter", "jax.lax.psum_scatter({}, tiled=True)", "np.split(rows.sum(0), len(rows))"),
    ("to-all", "jax.lax.all_to_all({}, split_axis=0, concat_axis=0, tiled=True)",
     "[np.concatenate(parts) for parts in zip(*(np.split(row, len(rows)) for row in rows))]"),
)  # fmt: skip
_ARGUMENTS = "tree, axis_name='all', axis_index_groups=groups"
# Those of extremes twice: no other law passes them groups.
_WAYS = tuple(
    way(name, f"(lambda tree, groups: {call.format(_ARGUMENTS)}, lambda rows: {wanted})")
    for name, call, wanted in (*_CALLS, *_CALLS[2:4])
)
# Four rows of four entries and more: each sum is exact.
_LEAVES = tuple(
    Kind("leaf", f"jax.device_put(np.arange({size}).reshape({shape}).astype(jnp.{name}))", (),
         (f"leaf:rows-{name}",))
    for size, shape, name in ((16, (4, 4), "float32"), (32, (4, 4, 2), "float32"),
                              (32, (4, 8), "bfloat16"))
)  # fmt: skip


@st.composite
def _grouped(draw: st.DrawFn) -> Recipe:
    """Bind `tree`, `groups`, `call`, a collective, and `combine`, which does it for one group.

    Also bind `options` of `pmap`, which may give the tree away.
    """
    scope = Scope()
    drawn = draw_tree(draw, scope, leaves=pool(_LEAVES), kinds=(*CONTAINERS, *NODES), max_leaves=3)
    scope.bind("tree", f"[{_LEAVES[0].template}, {drawn}]")
    scope.bind("groups", draw(st.sampled_from(_GROUPS)))
    kind = draw(st.sampled_from(available(_WAYS)))
    scope.note(*kind.features)
    scope.statement(f"call, combine = {kind.template}")
    scope.bind(
        "options",
        draw(st.sampled_from(("{}", "{'donate_argnums': 0}", "{'donate_argnums': (0,)}"))),
    )
    return scope.recipe()


@law(
    "a collective with `axis_index_groups` combines the rows of each leaf within each group, in "
    "the order of the group, also if `pmap` may use the memory of the arrays for the result",
    source=_SOURCE,
    level="should",
    needs={"eight_devices", "pmap"},
    case=_grouped(),
)
def collectives_stay_within_groups(lib, case):
    options = {"axis_name": "all", "devices": lib.devices()[:4], **case.options}
    given = jtu.tree_map(jnp.copy, case.tree)
    found = lib.pmap(lambda tree: case.call(tree, case.groups), **options)(given)
    same(
        jtu.tree_map(jnp.asarray, found), jtu.tree_map(lambda leaf: _wanted(case, leaf), case.tree)
    )


def _wanted(case, leaf):
    """Return the rows of all devices, each what its group gives it."""
    rows, found = np.asarray(leaf), {}
    for group in case.groups:
        combined = case.combine(rows[group].astype(np.float32))
        found.update(zip(group, combined, strict=True))
    return jnp.asarray(np.stack([found[place] for place in range(len(rows))]), leaf.dtype)
