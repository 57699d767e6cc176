"""JAX: arrays that were put somewhere by their user stay there: they are committed."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.ways import way
from hypothesis_pytrees.trees.positions import bind_tree
from treelaws.equality import equal, same
from treelaws.laws._sharded import arrays_of, as_arrays

from .sharding import law

_COMMITTED = (
    "https://docs.jax.dev/en/latest/faq.html#controlling-data-and-computation-placement-on-devices"
)
_MESH = "jax.sharding.Mesh(np.array(jax.devices()[:1]), ('all',))"
_WHERE = (
    ("named", f"jax.sharding.NamedSharding({_MESH}, jax.sharding.PartitionSpec())"),
    ("single", "jax.sharding.SingleDeviceSharding(jax.devices()[0])"),
)
# Ways to put a tree at `where`, which is where its arrays are.
_PLACES = (
    way("put", "jax.device_put(tree, where)"),
    way("put-device", "jax.device_put(tree, jax.devices()[0])"),
    way("put-alias", "jax.device_put(tree, where, may_alias=True)"),
    way("put-copy", "jax.device_put(tree, where, may_alias=False)"),
    way("put-prefix", "jax.device_put((tree, 1), (where, None))[0]"),
    way("put-in-jit", "jax.jit(lambda tree: jax.device_put(tree, where))(tree)"),
    way("constraint", "jax.lax.with_sharding_constraint(tree, where)"),
    way("constraint-prefix", "jax.lax.with_sharding_constraint([tree, tree], [where, where])[1]"),
    way("constraint-in-jit", "jax.jit(lambda x: jax.lax.with_sharding_constraint(x, where))(tree)"),
    way("jit-in", "jax.jit(lambda tree: tree, in_shardings=where)(tree)"),
    way("jit-out", "jax.jit(lambda tree: tree, out_shardings=where)(tree)"),
    way("jit-compiled", "jax.jit(lambda x: x, out_shardings=where).lower(tree).compile()(tree)"),
    way("reshard", "jax.sharding.reshard(tree, where)"),
)


@st.composite
def _placed(draw: st.DrawFn) -> Recipe:
    """Bind `tree` of arrays of JAX, some committed, and `place`, which puts a tree somewhere.

    Features: `where:named` or `where:single`, `leaves:committed` if all are that already.
    """
    scope = Scope()
    # The way is drawn first: Hypothesis tends to end a sequence of draws with zeros.
    drawn = draw(st.sampled_from(available(_PLACES)))
    committed = draw(st.integers(0, 3)) == 3
    bind_tree(draw, scope, arrays_of("keyed"))
    scope.rebind("tree", "jtu.tree_map(jnp.asarray, tree)")
    scope.note(*drawn.features, *(["leaves:committed"] if committed else []))
    if committed:
        scope.rebind("tree", "jax.device_put(tree, jax.devices()[0])")
    # `reshard` takes shardings of a mesh alone.
    choices = _WHERE[:1] if "way:reshard" in drawn.features else _WHERE
    name, where = draw(st.sampled_from(choices))
    scope.note(f"where:{name}")
    scope.bind("where", where)
    scope.bind("place", f"lambda tree: {drawn.template}")
    return scope.recipe()


@law(
    "each function that puts the arrays of a tree at a sharding or on a device commits them to it, "
    "also those which are there already",
    source=_COMMITTED,
    level="should",
    needs={"device_put", "lax.with_sharding_constraint"},
    case=_placed(),
)
def placed_arrays_are_committed(lib, case):
    placed = case.place(case.tree)
    same(placed, as_arrays(case.rebuild().tree))
    leaves = lib.tree_util.tree_leaves(placed)
    equal([leaf.committed for leaf in leaves], [True] * len(leaves))
