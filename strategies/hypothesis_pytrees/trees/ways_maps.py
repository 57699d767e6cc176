"""Ways in which JAX maps a function over a stack of trees, as text.

Each is an expression of `function` and `tree`.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.releases import BARRIER_BATCHES
from hypothesis_pytrees.core.ways import way

from .ways_custom import CUSTOM_JVP, CUSTOM_VJP, CUSTOM_VMAP, KEYS

_CALLBACK = """\
def tree_called_back(tree, method):
    plain = tree_without_keys(tree)
    shapes = jtu.tree_map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), plain)
    seen = lambda given: jtu.tree_map(np.asarray, given)
    return tree_with_keys_of(
        tree, jax.pure_callback(seen, shapes, plain, vmap_method=method)
    )
"""
_ASSOCIATIVE = """\
def tree_through_associative_scan(tree):
    # It takes no typed keys.
    last = jax.lax.associative_scan(lambda one, other: other, tree_without_keys(tree))
    return tree_with_keys_of(tree, last)
"""
_MOVED = """\
def tree_with_axis_moved(tree, source, target):
    return jtu.tree_map(lambda leaf: jnp.moveaxis(leaf, source, target), tree)
"""
_SECOND = """\
def tree_with_first_axis(tree):
    return jtu.tree_map(lambda leaf: jnp.asarray(leaf)[None], tree)


def tree_at_first(tree):
    return jtu.tree_map(lambda leaf: leaf[0], tree)
"""
_PMAP_SECOND = """\
def tree_mapped_to_second_axis(function, tree):
    parts = [jtu.tree_map(lambda leaf: leaf[i : i + 1], tree) for i in range(2)]
    mapped = [jax.pmap(function, out_axes=1)(part) for part in parts]
    return jtu.tree_map(lambda *leaves: jnp.concatenate(leaves, axis=1), *mapped)
"""
_PMAP = """\
def tree_mapped_one_by_one(function, tree):
    parts = [jtu.tree_map(lambda leaf: leaf[i : i + 1], tree) for i in range(2)]
    mapped = [jax.pmap(function, axis_name='all')(part) for part in parts]
    return jtu.tree_map(lambda *leaves: jnp.concatenate(leaves), *mapped)
"""
_MESH = """\
def tree_mapped_over_a_mesh(function, tree):
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ('all',))
    part = jax.sharding.PartitionSpec('all')
    mapped = jax.shard_map(jax.vmap(function), mesh=mesh, in_specs=(part,), out_specs=part)
    return mapped(tree)
"""
# Ways to get `jax.vmap(function)(tree)`, where each leaf of the tree has a leading axis.
MAPS: Sequence[Kind] = (
    way("vmap", "jax.vmap(function)(tree)"),
    way("vmap-axes", "jax.vmap(function, in_axes=(0,), out_axes=0)(tree)"),
    way("vmap-named", "jax.vmap(function, axis_name='all')(tree)"),
    way("vmap-in-jit", "jax.jit(jax.vmap(function))(tree)"),
    way("vmap-of-jit", "jax.vmap(jax.jit(function))(tree)"),
    way("vmap-of-checkpoint", "jax.vmap(jax.checkpoint(function))(tree)"),
    way("vmap-of-custom-vmap", "jax.vmap(tree_with_custom_vmap(function))(tree)", CUSTOM_VMAP),
    way("vmap-of-custom-jvp", "jax.vmap(tree_with_custom_jvp(function))(tree)", CUSTOM_JVP),
    way("vmap-of-custom-vjp", "jax.vmap(tree_with_custom_vjp(function))(tree)", CUSTOM_VJP),
    way("vmap-of-sequential-vmap", "jax.vmap(jax.custom_batching.sequential_vmap(function))(tree)"),
    way(
        "vmap-of-platforms",
        "jax.vmap(lambda tree: jax.lax.platform_dependent(tree, cpu=function, default=function))"
        "(tree)",
    ),
    way(
        "vmap-of-barrier",
        "jax.vmap(lambda tree: function(jax.lax.optimization_barrier(tree)))(tree)",
        needs=(BARRIER_BATCHES,),
    ),
    way(
        "vmap-of-fori-loop",
        "jax.vmap(lambda tree: jax.lax.fori_loop(0, 1, lambda _, held: function(held), tree))"
        "(tree)",
    ),
    way(
        "vmap-of-aux",
        "jax.vmap(lambda tree: jax.linearize(lambda x: (x, function(tree)), 1.0, has_aux=True)[2])"
        "(tree)",
    ),
    way(
        "vmap-of-cond", "jax.vmap(lambda tree: jax.lax.cond(True, function, function, tree))(tree)"
    ),
    way("vmap-of-spmd", "jax.vmap(function, spmd_axis_name='all')(tree)"),
    *(
        way(
            f"vmap-of-callback-{method}",
            f"jax.vmap(lambda tree: function(tree_called_back(tree, {method!r})))(tree)",
            *KEYS,
            _CALLBACK,
        )
        for method in ("sequential", "expand_dims", "broadcast_all")
    ),
    way(
        "vmap-of-custom-vmap-keyword",
        "jax.vmap(lambda given: tree_with_custom_vmap(lambda tree: function(tree))(tree=given))"
        "(tree)",
        CUSTOM_VMAP,
    ),
    way("pmap", "tree_mapped_one_by_one(function, tree)", _PMAP),
    way("shard-map", "tree_mapped_over_a_mesh(function, tree)", _MESH),
    way("map", "jax.lax.map(function, tree)"),
    way("scan", "jax.lax.scan(lambda carry, one: (carry, function(one)), None, tree)[1]"),
    way(
        "scan-backwards",
        "jax.lax.scan(lambda carry, one: (carry, function(one)), None, tree, reverse=True)[1]",
    ),
    way(
        "scan-unrolled",
        "jax.lax.scan(lambda carry, one: (carry, function(one)), None, tree, unroll=2)[1]",
    ),
    way(
        "vmap-last-axis",
        "jax.vmap(function, in_axes=-1)(tree_with_axis_moved(tree, 0, -1))",
        _MOVED,
    ),
    way(
        "vmap-to-last-axis",
        "tree_with_axis_moved(jax.vmap(function, out_axes=-1)(tree), -1, 0)",
        _MOVED,
    ),
    way(
        "vmap-both-last-axes",
        "tree_with_axis_moved(jax.vmap(function, in_axes=(-1,), out_axes=-1)"
        "(tree_with_axis_moved(tree, 0, -1)), -1, 0)",
        _MOVED,
    ),
    way(
        "vmap-to-second-axis",
        "tree_at_first(jax.vmap(lambda one: tree_with_first_axis(function(one)), out_axes=1)"
        "(tree))",
        _SECOND,
    ),
    way(
        "pmap-to-second-axis",
        "tree_at_first(tree_mapped_to_second_axis("
        "lambda one: tree_with_first_axis(function(one)), tree))",
        _SECOND,
        _PMAP_SECOND,
    ),
    way(
        "associative-scan",
        "tree_through_associative_scan(jax.vmap(function)(tree))",
        *KEYS,
        _ASSOCIATIVE,
    ),
)
