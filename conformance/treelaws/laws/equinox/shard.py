"""Equinox: `filter_shard`, which constrains or moves the arrays of a tree."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.trees.structures import structures
from treelaws.core.law import Topic
from treelaws.equality import equal, same, true

law = Topic("equinox.shard", "Equinox: filter_shard", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/transformations/#equinox.filter_shard"
_SINGLE = "jax.sharding.SingleDeviceSharding(jax.devices()[0])"
_NAMED = (
    "jax.sharding.NamedSharding(jax.sharding.Mesh(np.array(jax.devices()[:1]), ('all',)), "
    "jax.sharding.PartitionSpec())"
)
# By feature: a sharding, and what `filter_shard` takes for it.
_WHERE = (
    ("device", _SINGLE, "jax.devices()[0]"),
    ("single", _SINGLE, "sharding"),
    ("named", _NAMED, "sharding"),
    ("tree", _SINGLE, "jtu.tree_map(lambda leaf: sharding, tree)"),
)


@st.composite
def _placed(draw: st.DrawFn) -> Recipe:
    """Bind `tree`, `sharding`, and `where`, which names it for the whole tree or for each leaf."""
    scope = Scope()
    scope.bind("tree", draw(structures()))
    feature, sharding, where = draw(st.sampled_from(_WHERE))
    scope.note(f"where:{feature}")
    scope.bind("sharding", sharding)
    scope.bind("where", where)
    return scope.recipe()


@law(
    "`filter_shard` returns the tree with its arrays, as arrays of JAX, on the given device or "
    "sharding, and other leaves as they are",
    source=_DOCS,
    needs={"filter_shard"},
    case=_placed(),
    weight=0.2,
)
def arrays_are_placed(lib, case):
    placed = lib.filter_shard(case.tree, case.where)
    same(placed, _arrays_of(lib, case.tree))
    for leaf in jtu.tree_leaves(lib.filter(placed, lib.is_array)):
        alike = leaf.sharding.is_equivalent_to(case.sharding, leaf.ndim)
        true(alike, leaf.sharding, case.sharding)


@law(
    "`filter_shard` commits the arrays of a tree to the given device or sharding",
    source=_DOCS,
    level="observed",
    needs={"filter_shard"},
    case=_placed(),
    weight=0.2,
    parents=[arrays_are_placed],
)
def placed_arrays_are_committed(lib, case):
    """JAX commits what `device_put` places; of a constraint outside of jit, no document says so."""
    placed = lib.filter_shard(case.tree, case.where)
    arrays = jtu.tree_leaves(lib.filter(placed, lib.is_array))
    equal(
        [(leaf.sharding, leaf.committed) for leaf in arrays], [(case.sharding, True)] * len(arrays)
    )


@law(
    "`filter_shard` inside `filter_jit` changes no value",
    source=_DOCS,
    needs={"filter_shard", "filter_jit"},
    case=_placed(),
    weight=0.1,
    parents=[arrays_are_placed],
)
def constrained_trees_are_the_same(lib, case):
    found = lib.filter_jit(lambda tree: lib.filter_shard(tree, case.where))(case.tree)
    same(found, _arrays_of(lib, case.tree))


def _arrays_of(lib, tree):
    return jtu.tree_map(lambda leaf: jnp.asarray(leaf) if lib.is_array(leaf) else leaf, tree)
