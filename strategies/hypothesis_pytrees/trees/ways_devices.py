"""Ways in which JAX calls a function on a tree, as text: devices, shardings and collectives.

Each is an expression of `function` and `tree`, trees of arrays of the same shapes and dtypes.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.ways import way

from .ways_custom import ARRAYS, COPIED, KEYS

_MESH = """\
def tree_over_one_device(function, tree):
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ('all',))
    everywhere = jax.sharding.PartitionSpec()
    mapped = jax.shard_map(function, mesh=mesh, in_specs=(everywhere,), out_specs=everywhere)
    return mapped(tree)
"""
_MANUAL = """\
def tree_over_named_devices(function, tree):
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ('all',))
    everywhere = jax.sharding.PartitionSpec()
    specs = {'in_specs': (everywhere,), 'out_specs': everywhere}
    return jax.shard_map(function, mesh=mesh, axis_names={'all'}, check_vma=False, **specs)(tree)
"""
_PLACED = """\
def tree_placed(tree):
    placed = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    return jax.device_put(tree, placed)
"""
_SHARDED = """\
def tree_sharded(function, tree):
    where = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    return jax.jit(function, in_shardings=where, out_shardings=where)(tree)
"""
_CONSTRAINED = """\
def tree_constrained(tree):
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ('all',))
    everywhere = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
    return jax.lax.with_sharding_constraint(tree, everywhere)
"""
_RESHARDED = """\
def tree_resharded(tree):
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ('all',))
    everywhere = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
    return jax.sharding.reshard(tree, everywhere)
"""
_GATHERED = """\
def tree_gathered_from_processes(tree):
    from jax.experimental import multihost_utils

    # They give arrays of NumPy.
    gathered = multihost_utils.process_allgather(tree_without_keys(tree), tiled=True)
    return tree_with_keys_of(tree, jtu.tree_map(jnp.asarray, gathered))
"""
_BROADCAST = """\
def tree_of_first_process(tree):
    from jax.experimental import multihost_utils

    plain = multihost_utils.broadcast_one_to_all(tree_without_keys(tree), is_source=True)
    return tree_with_keys_of(tree, jtu.tree_map(jnp.asarray, plain))
"""
_HOSTS = """\
def tree_of_all_hosts(tree):
    from jax.experimental import multihost_utils

    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ('all',))
    everywhere = jax.sharding.PartitionSpec()
    plain = tree_without_keys(tree)
    joined = multihost_utils.host_local_array_to_global_array(plain, mesh, everywhere)
    # A NaN is not equal to itself there.
    multihost_utils.assert_equal(jtu.tree_map(jnp.zeros_like, plain))
    own = multihost_utils.global_array_to_host_local_array(joined, mesh, everywhere)
    return tree_with_keys_of(tree, own)
"""
# Ways to get `function(tree)` with one device.
ON_DEVICES: Sequence[Kind] = (
    way("jit-shardings", "tree_sharded(function, tree)", _SHARDED),
    way(
        "pmap-axes",
        "jax.pmap(lambda _, held: function(held), in_axes=(0, None), out_axes=None, "
        "axis_name='all')(jnp.zeros(1), tree)",
    ),
    way("device-get", "function(jax.device_get(tree))"),
    way("device-put", "function(tree_placed(tree))", _PLACED),
    way("device-put-copy", "function(jax.device_put(tree, may_alias=False))"),
    way(
        "device-put-donated",
        "function(jax.device_put(tree_copied(tree), jax.devices()[0], donate=True))",
        COPIED,
    ),
    way("device-put-in-jit", "jax.jit(lambda tree: function(jax.device_put(tree)))(tree)"),
    way("pmap-broadcast", "jax.pmap(lambda _: function(tree), out_axes=None)(jnp.zeros(1))"),
    way(
        "pmap-options",
        "jax.pmap(lambda call, _, held: call(held), axis_name='all', in_axes=(None, 0, None), "
        "out_axes=None, static_broadcasted_argnums=0, axis_size=1, devices=jax.devices()[:1])"
        "(function, jnp.zeros(1), tree)",
    ),
    way(
        "pmap-donated",
        "jax.pmap(lambda x, held: (x, function(held)), in_axes=(0, None), out_axes=(0, None), "
        "donate_argnums=0)(jnp.zeros(1), tree)[1]",
    ),
    way(
        "shard-map-named",
        "tree_over_named_devices(function, tree_of_arrays(tree))",
        ARRAYS,
        _MANUAL,
    ),
    way("shard-map", "tree_over_one_device(function, tree_of_arrays(tree))", ARRAYS, _MESH),
    way("constraint", "function(tree_constrained(tree_of_arrays(tree)))", ARRAYS, _CONSTRAINED),
    way(
        "constraint-in-jit",
        "jax.jit(lambda tree: function(tree_constrained(tree)))(tree)",
        _CONSTRAINED,
    ),
    way("reshard", "function(tree_resharded(tree_of_arrays(tree)))", ARRAYS, _RESHARDED),
    way(
        "all-processes",
        "function(tree_gathered_from_processes(tree_of_arrays(tree)))",
        ARRAYS,
        *KEYS,
        _GATHERED,
    ),
    way(
        "first-process",
        "function(tree_of_first_process(tree_of_arrays(tree)))",
        ARRAYS,
        *KEYS,
        _BROADCAST,
    ),
    way(
        "all-hosts",
        "function(tree_of_all_hosts(tree_of_arrays(tree)))",
        ARRAYS,
        *KEYS,
        _HOSTS,
    ),
    way(
        "vmap-permuted",
        "jtu.tree_map(lambda leaf: leaf[0], jax.vmap(lambda _: jax.lax.ppermute(function(tree), "
        "'all', [(0, 0)]), axis_name='all')(jnp.zeros(1)))",
    ),
    way(
        "vmap-gathered",
        "jtu.tree_map(lambda leaf: leaf[0], jax.vmap(lambda _: jax.lax.all_gather(function(tree), "
        "'all'), axis_name='all', out_axes=None)(jnp.zeros(1)))",
    ),
)
