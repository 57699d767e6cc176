"""Ways in which JAX calls a function on a tree, as text: transformations, callbacks, contexts.

Each is an expression of `function` and `tree`, trees of arrays of the same shapes and dtypes.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis_pytrees.core.contexts import IN_THREAD, WITHIN
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.ways import way

from .ways_custom import (
    CUSTOM_JVP,
    CUSTOM_VJP,
    CUSTOM_VMAP,
    KEYS,
    NAMES,
    NONDIFF,
    NONDIFF_JVP,
    NONDIFF_JVP_NAME,
    NONDIFF_NAME,
)

_PRIMAL_GRADIENT = """\
def tree_with_unused_gradient(function):
    return jax.custom_gradient(lambda tree: (function(tree), lambda given: (given,)))
"""
_CALLBACK = """\
def tree_through_callback(tree):
    plain = tree_without_keys(tree)
    shapes = jtu.tree_map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), plain)
    seen = lambda given: jtu.tree_map(np.asarray, given)
    return tree_with_keys_of(tree, jax.pure_callback(seen, shapes, plain))
"""
_IO = """\
def tree_through_io(tree):
    from jax.experimental import io_callback

    plain = tree_without_keys(tree)
    shapes = jtu.tree_map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), plain)
    seen = lambda given: jtu.tree_map(np.asarray, given)
    return tree_with_keys_of(tree, io_callback(seen, shapes, plain, ordered=True))
"""
_IO_NAMED = """\
def tree_through_io_by_name(tree):
    from jax.experimental import io_callback

    plain = tree_without_keys(tree)
    shapes = jtu.tree_map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), plain)
    where = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    seen = lambda *, given: jtu.tree_map(np.asarray, given)
    return tree_with_keys_of(tree, io_callback(seen, shapes, given=plain, sharding=where))
"""
_CALLBACK_NAMED = """\
def tree_through_callback_by_name(tree):
    plain = tree_without_keys(tree)
    shapes = jtu.tree_map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), plain)
    where = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    seen = lambda *, given: jtu.tree_map(np.asarray, given)
    return tree_with_keys_of(
        tree, jax.pure_callback(seen, shapes, given=plain, sharding=where)
    )
"""
_DEBUG = """\
def tree_seen_by_debug(function, tree):
    seen = []
    jax.jit(lambda tree: jax.debug.callback(seen.append, tree))(tree)
    jax.effects_barrier()
    return function(seen[0])
"""
_ARRAYS = """\
def tree_of_arrays(tree):
    return jtu.tree_map(jnp.asarray, tree)
"""
_EXPORT = """\
def tree_exported(function, tree):
    import jax.export

    return jax.export.export(jax.jit(function))(tree).call(tree)
"""
_CHECKIFY = """\
def tree_checked(function, tree):
    from jax.experimental import checkify

    return checkify.checkify(function)(tree)[1]
"""
_JAXPR = """\
def tree_evaluated(function, tree):
    jaxpr, shapes = jax.make_jaxpr(function, return_shape=True)(tree)
    leaves = jax.core.eval_jaxpr(jaxpr.jaxpr, jaxpr.consts, *jtu.tree_leaves(tree))
    return jtu.tree_unflatten(jtu.tree_structure(shapes), leaves)
"""
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
_JAXPR_STATIC = """\
def tree_evaluated_with(function, tree):
    make = jax.make_jaxpr(lambda call, tree: call(tree), static_argnums=0, return_shape=True)
    jaxpr, shapes = make(function, tree)
    leaves = jax.core.eval_jaxpr(jaxpr.jaxpr, jaxpr.consts, *jtu.tree_leaves(tree))
    return jtu.tree_unflatten(jtu.tree_structure(shapes), leaves)
"""
_PLACED = """\
def tree_placed(tree):
    placed = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    return jax.device_put(tree, placed)
"""
_COPIED = """\
def tree_copied(tree):
    return jtu.tree_map(lambda leaf: jnp.array(leaf, copy=True), tree)
"""
_SHARDED = """\
def tree_sharded(function, tree):
    where = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    return jax.jit(function, in_shardings=where, out_shardings=where)(tree)
"""
_CALLED = "lambda call, tree: call(tree)"
# Ways to get `function(tree)`, where both are trees of arrays of the same shapes and dtypes.
CALLS: Sequence[Kind] = (
    way("jit", "jax.jit(function)(tree)"),
    way("jit-keyword", "jax.jit(lambda *, tree: function(tree))(tree=tree)"),
    way("jit-static", f"jax.jit({_CALLED}, static_argnums=0)(function, tree)"),
    way(
        "jit-static-name",
        "jax.jit(lambda tree, call: call(tree), static_argnames='call')(tree, call=function)",
    ),
    way(
        "jit-static-numbers",
        "jax.jit(lambda call, flag, tree: call(tree), static_argnums=(0, 1))(function, 'on', tree)",
    ),
    way(
        "jit-static-names",
        "jax.jit(lambda tree, call, flag: call(tree), static_argnames=('call', 'flag'))"
        "(tree, call=function, flag='on')",
    ),
    way(
        "jit-donated-numbers",
        "jax.jit(lambda other, tree: function(tree), donate_argnums=(0, 1))"
        "(jnp.zeros(1), tree_copied(tree))",
        _COPIED,
    ),
    way("jit-inline", "jax.jit(lambda tree: jax.jit(function, inline=True)(tree))(tree)"),
    way(
        "jit-donated-name",
        "jax.jit(lambda tree: function(tree), donate_argnames='tree')(tree=tree_copied(tree))",
        _COPIED,
    ),
    way("jit-donated", "jax.jit(function, donate_argnums=0)(tree_copied(tree))", _COPIED),
    way("jit-shardings", "tree_sharded(function, tree)", _SHARDED),
    way("custom-jvp-nondiff", "tree_with_custom_jvp_of(function)(tree)", NONDIFF_JVP),
    way(
        "pmap-axes",
        "jax.pmap(lambda _, held: function(held), in_axes=(0, None), out_axes=None, "
        "axis_name='all')(jnp.zeros(1), tree)",
    ),
    way("jit-closed", "jax.jit(lambda: function(tree))()"),
    way("jit-partial", "jax.jit(functools.partial(function))(tree)"),
    way("jit-tree-partial", f"jax.jit({_CALLED})(jtu.Partial(function), tree)"),
    way("jit-held", "jax.jit(lambda held: function(held['a'][1]))({'a': (None, tree)})"),
    way(
        "jit-keep-unused", "jax.jit(lambda other, tree: function(tree), keep_unused=True)(1, tree)"
    ),
    way("traced", "jax.jit(function).trace(tree).lower().compile()(tree)"),
    way(
        "lowered-from-shapes",
        "jax.jit(function).lower(jax.eval_shape(function, tree)).compile()(tree_of_arrays(tree))",
        _ARRAYS,
    ),
    way("checkpoint", "jax.checkpoint(function)(tree)"),
    way(
        "checkpoint-policy",
        "jax.jit(jax.checkpoint(function, prevent_cse=False, "
        "policy=jax.checkpoint_policies.everything_saveable))(tree)",
    ),
    way("checkpoint-static", f"jax.checkpoint({_CALLED}, static_argnums=0)(function, tree)"),
    way("custom-jvp", "tree_with_custom_jvp(function)(tree)", CUSTOM_JVP),
    way("custom-jvp-in-jit", "jax.jit(tree_with_custom_jvp(function))(tree)", CUSTOM_JVP),
    way("custom-vjp", "tree_with_custom_vjp(function)(tree)", CUSTOM_VJP),
    way("custom-vjp-in-jit", "jax.jit(tree_with_custom_vjp(function))(tree)", CUSTOM_VJP),
    way(
        "custom-jvp-keyword",
        "tree_with_custom_jvp(lambda tree: function(tree))(tree=tree)",
        CUSTOM_JVP,
    ),
    way(
        "custom-vjp-keyword",
        "tree_with_custom_vjp(lambda tree: function(tree))(tree=tree)",
        CUSTOM_VJP,
    ),
    way(
        "custom-jvp-name",
        "tree_with_custom_jvp_by_name(function)(tree)",
        NONDIFF_JVP_NAME,
        needs=(NAMES,),
    ),
    way(
        "custom-vjp-name",
        "tree_with_custom_vjp_by_name(function)(tree)",
        NONDIFF_NAME,
        needs=(NAMES,),
    ),
    way("custom-vjp-nondiff", "tree_with_custom_vjp_of(function)(tree)", NONDIFF),
    way("custom-gradient", "tree_with_unused_gradient(function)(tree)", _PRIMAL_GRADIENT),
    way("custom-vmap", "tree_with_custom_vmap(function)(tree)", CUSTOM_VMAP),
    way(
        "pure-callback",
        "function(tree_through_callback(tree_of_arrays(tree)))",
        _ARRAYS,
        *KEYS,
        _CALLBACK,
    ),
    way(
        "pure-callback-in-jit",
        "jax.jit(lambda tree: function(tree_through_callback(tree)))(tree)",
        *KEYS,
        _CALLBACK,
    ),
    way(
        "pure-callback-keyword",
        "jax.jit(lambda tree: function(tree_through_callback_by_name(tree)))(tree)",
        *KEYS,
        _CALLBACK_NAMED,
    ),
    way(
        "io-callback-keyword",
        "jax.jit(lambda tree: function(tree_through_io_by_name(tree)))(tree)",
        *KEYS,
        _IO_NAMED,
    ),
    way("io-callback", "jax.jit(lambda tree: function(tree_through_io(tree)))(tree)", *KEYS, _IO),
    way("debug-callback", "tree_seen_by_debug(function, tree)", _DEBUG),
    way("device-get", "function(jax.device_get(tree))"),
    way("device-put", "function(tree_placed(tree))", _PLACED),
    way("device-put-copy", "function(jax.device_put(tree, may_alias=False))"),
    way(
        "device-put-donated",
        "function(jax.device_put(tree_copied(tree), jax.devices()[0], donate=True))",
        _COPIED,
    ),
    way("device-put-in-jit", "jax.jit(lambda tree: function(jax.device_put(tree)))(tree)"),
    way("block", "jax.block_until_ready(function(tree))"),
    way("barrier", "jax.lax.optimization_barrier(function(tree))"),
    way("stop-gradient", "jax.lax.stop_gradient(function(tree))"),
    way(
        "scan-carry",
        "jax.lax.scan(lambda carry, _: (function(carry), None), tree_of_arrays(tree), None, "
        "length=1)[0]",
        _ARRAYS,
    ),
    way(
        "fori-loop",
        "jax.lax.fori_loop(0, 1, lambda i, carry: function(carry), tree_of_arrays(tree))",
        _ARRAYS,
    ),
    way(
        "fori-loop-traced",
        "jax.jit(lambda end, tree: jax.lax.fori_loop(0, end, lambda i, carry: function(carry), "
        "tree))(1, tree_of_arrays(tree))",
        _ARRAYS,
    ),
    way(
        "while-loop",
        "jax.lax.while_loop(lambda carry: carry[0] < 1, "
        "lambda carry: (carry[0] + 1, function(carry[1])), (0, tree_of_arrays(tree)))[1]",
        _ARRAYS,
    ),
    way(
        "fori-loop-unrolled",
        "jax.lax.fori_loop(0, 1, lambda i, carry: function(carry), tree_of_arrays(tree), unroll=2)",
        _ARRAYS,
    ),
    way(
        "cond-operand",
        "jax.lax.cond(True, function, lambda tree: tree, operand=tree_of_arrays(tree))",
        _ARRAYS,
    ),
    way(
        "switch-operand",
        "jax.lax.switch(1, [lambda tree: tree, function], operand=tree_of_arrays(tree))",
        _ARRAYS,
    ),
    way("cond", "jax.lax.cond(True, function, lambda tree: tree, tree_of_arrays(tree))", _ARRAYS),
    way(
        "cond-closed",
        "jax.jit(lambda flag: jax.lax.cond(flag, lambda: function(tree), lambda: tree))(True)",
    ),
    way(
        "switch", "jax.lax.switch(1, [lambda tree: tree, function], tree_of_arrays(tree))", _ARRAYS
    ),
    way("vmap-broadcast", "jax.vmap(lambda _: function(tree), out_axes=None)(jnp.zeros(2))"),
    way("vmap-size", "jax.vmap(function, in_axes=None, out_axes=None, axis_size=2)(tree)"),
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
    way("jaxpr-static", "tree_evaluated_with(function, tree)", _JAXPR_STATIC),
    way(
        "shard-map-named",
        "tree_over_named_devices(function, tree_of_arrays(tree))",
        _ARRAYS,
        _MANUAL,
    ),
    way("jaxpr", "tree_evaluated(function, tree)", _JAXPR),
    way("export", "tree_exported(function, tree_of_arrays(tree))", _ARRAYS, _EXPORT),
    way("checkify", "tree_checked(function, tree)", _CHECKIFY),
    way("shard-map", "tree_over_one_device(function, tree_of_arrays(tree))", _ARRAYS, _MESH),
    way("named-call", "jax.named_call(function, name='call')(tree)"),
    way("aux-of-grad", "jax.grad(lambda x: (x, function(tree)), has_aux=True)(1.0)[1]"),
    way("aux-of-vjp", "jax.vjp(lambda x: (x, function(tree)), 1.0, has_aux=True)[2]"),
    way("aux-of-jvp", "jax.jvp(lambda x: (x, function(tree)), (1.0,), (1.0,), has_aux=True)[2]"),
    way("aux-of-linearize", "jax.linearize(lambda x: (x, function(tree)), 1.0, has_aux=True)[2]"),
    way("aux-of-jacfwd", "jax.jacfwd(lambda x: (x, function(tree)), has_aux=True)(1.0)[1]"),
    way("aux-of-jacrev", "jax.jacrev(lambda x: (x, function(tree)), has_aux=True)(1.0)[1]"),
    way("without-jit", "run_within(jax.disable_jit(), lambda: jax.jit(function)(tree))", WITHIN),
    way(
        "leaks-checked",
        "run_within(jax.checking_leaks(), lambda: jax.jit(function)(tree))",
        WITHIN,
    ),
    way(
        "promotion-strict",
        "run_within(jax.numpy_dtype_promotion('strict'), lambda: jax.jit(function)(tree))",
        WITHIN,
    ),
    way(
        "ranks-raise",
        "run_within(jax.numpy_rank_promotion('raise'), lambda: jax.jit(function)(tree))",
        WITHIN,
    ),
    way("thread", "run_in_thread(lambda: jax.jit(function)(tree))", IN_THREAD),
)
