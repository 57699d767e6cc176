"""Equinox: `filter_shard`, which constrains or moves the arrays of a tree."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.trees.structures import structures
from treelaws.core.law import Topic
from treelaws.equality import equal, same, true
from treelaws.laws._sharded import arrays_of

law = Topic("equinox.shard", "Equinox: filter_shard", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/transformations/#equinox.filter_shard"
_SINGLE = "jax.sharding.SingleDeviceSharding(jax.devices()[0])"
_NAMED = (
    "jax.sharding.NamedSharding(jax.sharding.Mesh(np.array(jax.devices()[:1]), ('all',)), "
    "jax.sharding.PartitionSpec())"
)


def _mesh(text: str) -> str:
    mesh = f"jax.sharding.Mesh(np.array(jax.devices()){text})"
    return f"jax.sharding.NamedSharding({mesh}, jax.sharding.PartitionSpec())"


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
)
def arrays_are_placed(lib, case):
    placed = lib.filter_shard(case.tree, case.where)
    same(placed, _arrays_of(lib, case.tree))
    for leaf in jtu.tree_leaves(lib.filter(placed, lib.is_array)):
        alike = leaf.sharding.is_equivalent_to(case.sharding, leaf.ndim)
        true(alike, leaf.sharding, case.sharding)


@law(
    "outside of jit, `filter_shard` commits the arrays of a tree to the given device or sharding",
    # Labelled a bug of JAX; a test of Equinox asks for the release that fixes it.
    source="https://github.com/jax-ml/jax/issues/31199",
    level="should",
    needs={"filter_shard"},
    case=_placed(),
    parents=[arrays_are_placed],
)
def placed_arrays_are_committed(lib, case):
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
    parents=[arrays_are_placed],
)
def constrained_trees_are_the_same(lib, case):
    found = lib.filter_jit(lambda tree: lib.filter_shard(tree, case.where))(case.tree)
    same(found, _arrays_of(lib, case.tree))


# By feature: a place, and the devices of it in order.
_PLACES = {
    "device-0": ("jax.devices()[0]", (0,)),
    "device-1": ("jax.devices()[1]", (1,)),
    "single": ("jax.sharding.SingleDeviceSharding(jax.devices()[1])", (1,)),
    "mesh-1": (_mesh("[:1], ('x',)"), (0,)),
    "mesh-2": (_mesh("[:2], ('x',)"), (0, 1)),
    "mesh-8": (_mesh("[:8], ('x',)"), tuple(range(8))),
    "mesh-2-4": (_mesh("[:8].reshape(2, 4), ('x', 'y')"), tuple(range(8))),
    "reversed": (_mesh("[:8][::-1], ('x',)"), tuple(range(8))[::-1]),
}


@st.composite
def _moved(draw: st.DrawFn) -> Recipe:
    """Bind `tree`, `first`, a place or `None`, and `where`, the place to move it to.

    Feature `moves:devices` if the first place has other devices, or the same in another order.
    """
    scope = Scope()
    scope.bind("tree", draw(arrays_of("mixed")))
    first, where = draw(st.sampled_from([None, *_PLACES])), draw(st.sampled_from(list(_PLACES)))
    if first and _PLACES[first][1] != _PLACES[where][1]:
        scope.note("moves:devices")
    scope.bind("first", _PLACES[first][0] if first else "None")
    scope.bind("where", _PLACES[where][0])
    return scope.recipe()


@law(
    "outside of jit, `filter_shard` moves a tree to a device or sharding from any other",
    source=_DOCS,
    # Outside of jit, the document speaks of a device; shardings follow from `jax.device_put`.
    level="should",
    needs={"eight_devices", "filter_shard", "partition", "combine"},
    case=_moved(),
    parents=[arrays_are_placed],
)
def arrays_move_from_anywhere(lib, case):
    arrays, rest = lib.partition(case.tree, lib.is_array)
    placed = arrays if case.first is None else jax.device_put(arrays, case.first)
    moved = lib.filter_shard(lib.combine(placed, rest), case.where)
    same(moved, case.tree)
    wanted = jax.device_put(jnp.zeros(()), case.where).sharding
    for leaf in jtu.tree_leaves(lib.filter(moved, lib.is_array)):
        true(leaf.sharding.is_equivalent_to(wanted, leaf.ndim), leaf.sharding, str(wanted))


def _arrays_of(lib, tree):
    return jtu.tree_map(lambda leaf: jnp.asarray(leaf) if lib.is_array(leaf) else leaf, tree)
