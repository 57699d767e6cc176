"""Ways in which JAX calls a function on a tree, as text: transformations, callbacks, contexts.

Each is an expression of `function` and `tree`.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.contexts import IN_THREAD, WITHIN
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import Since

_CUSTOM_JVP = """\
def tree_with_custom_jvp(function):
    custom = jax.custom_jvp(function)
    custom.defjvp(lambda primals, tangents: jax.jvp(function, primals, tangents))
    return custom
"""
_CUSTOM_JVPS = """\
def tree_with_custom_jvps(function):
    custom = jax.custom_jvp(function)
    custom.defjvps(lambda tangent, result, tree: jax.jvp(function, (tree,), (tangent,))[1])
    return custom
"""
_CUSTOM_VJP = """\
def tree_with_custom_vjp(function):
    custom = jax.custom_vjp(function)
    pull = lambda tree, given: jax.vjp(function, tree)[1](given)
    custom.defvjp(lambda tree: (function(tree), tree), pull)
    return custom
"""
_NONDIFF = """\
def tree_with_custom_vjp_of(function):
    custom = jax.custom_vjp(lambda call, tree: call(tree), nondiff_argnums=(0,))
    pull = lambda call, tree, given: jax.vjp(call, tree)[1](given)
    custom.defvjp(lambda call, tree: (call(tree), tree), pull)
    return lambda tree: custom(function, tree)
"""
_CUSTOM_GRADIENT = """\
def tree_with_custom_gradient(function):
    def custom(tree):
        result, pull = jax.vjp(function, tree)
        return result, lambda given: pull(given)

    return jax.custom_gradient(custom)
"""
_PRIMAL_GRADIENT = """\
def tree_with_unused_gradient(function):
    return jax.custom_gradient(lambda tree: (function(tree), lambda given: (given,)))
"""
_CUSTOM_VMAP = """\
def tree_with_custom_vmap(function):
    custom = jax.custom_batching.custom_vmap(function)
    custom.def_vmap(
        lambda size, batched, tree: (jax.vmap(function)(tree), jtu.tree_map(lambda _: True, tree))
    )
    return custom
"""
_CALLBACK = """\
def tree_through_callback(tree):
    shapes = jtu.tree_map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), tree)
    return jax.pure_callback(lambda given: jtu.tree_map(np.asarray, given), shapes, tree)
"""
_IO = """\
def tree_through_io(tree):
    from jax.experimental import io_callback

    shapes = jtu.tree_map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), tree)
    return io_callback(lambda given: jtu.tree_map(np.asarray, given), shapes, tree, ordered=True)
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
_PLACED = """\
def tree_placed(tree):
    placed = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    return jax.device_put(tree, placed)
"""
_NONDIFF_JVP = """\
def tree_with_custom_jvp_of(function):
    custom = jax.custom_jvp(lambda call, tree: call(tree), nondiff_argnums=(0,))
    custom.defjvp(lambda call, primals, tangents: jax.jvp(call, primals, tangents))
    return lambda tree: custom(function, tree)
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
_ROOT = """\
def tree_as_root(tree):
    # The root of `x - tree`, found in one step from zeros.
    difference = lambda one, other: jtu.tree_map(jnp.subtract, one, other)
    start = jtu.tree_map(jnp.zeros_like, tree)
    found = lambda residual, first: difference(first, residual(first))
    return jax.lax.custom_root(
        lambda x: difference(x, tree), start, found, lambda linear, right: right
    )
"""
_SOLVED = """\
def tree_solved(tree):
    # The solution of `x = tree`.
    return jax.lax.custom_linear_solve(
        lambda x: x, tree, lambda product, right: right, symmetric=True
    )
"""
_CALLED = "lambda call, tree: call(tree)"


def _way(name: str, text: str, *definitions: str, needs: tuple[Since, ...] = ()) -> Kind:
    return Kind("way", text, definitions, (f"way:{name}",), needs=needs)


# Ways to get `function(tree)`, where both are trees of arrays of the same shapes and dtypes.
CALLS: Sequence[Kind] = (
    _way("jit", "jax.jit(function)(tree)"),
    _way("jit-keyword", "jax.jit(lambda *, tree: function(tree))(tree=tree)"),
    _way("jit-static", f"jax.jit({_CALLED}, static_argnums=0)(function, tree)"),
    _way(
        "jit-static-name",
        "jax.jit(lambda tree, call: call(tree), static_argnames='call')(tree, call=function)",
    ),
    _way("jit-inline", "jax.jit(lambda tree: jax.jit(function, inline=True)(tree))(tree)"),
    _way(
        "jit-donated-name",
        "jax.jit(lambda tree: function(tree), donate_argnames='tree')(tree=tree_copied(tree))",
        _COPIED,
    ),
    _way("jit-shardings", "tree_sharded(function, tree)", _SHARDED),
    _way("custom-jvp-nondiff", "tree_with_custom_jvp_of(function)(tree)", _NONDIFF_JVP),
    _way(
        "pmap-axes",
        "jax.pmap(lambda _, held: function(held), in_axes=(0, None), out_axes=None, "
        "axis_name='all')(jnp.zeros(1), tree)",
    ),
    _way("jit-closed", "jax.jit(lambda: function(tree))()"),
    _way("jit-partial", "jax.jit(functools.partial(function))(tree)"),
    _way("jit-tree-partial", f"jax.jit({_CALLED})(jtu.Partial(function), tree)"),
    _way("jit-held", "jax.jit(lambda held: function(held['a'][1]))({'a': (None, tree)})"),
    _way(
        "jit-keep-unused", "jax.jit(lambda other, tree: function(tree), keep_unused=True)(1, tree)"
    ),
    _way("traced", "jax.jit(function).trace(tree).lower().compile()(tree)"),
    _way(
        "lowered-from-shapes",
        "jax.jit(function).lower(jax.eval_shape(function, tree)).compile()(tree_of_arrays(tree))",
        _ARRAYS,
    ),
    _way("checkpoint", "jax.checkpoint(function)(tree)"),
    _way(
        "checkpoint-policy",
        "jax.jit(jax.checkpoint(function, prevent_cse=False, "
        "policy=jax.checkpoint_policies.everything_saveable))(tree)",
    ),
    _way("checkpoint-static", f"jax.checkpoint({_CALLED}, static_argnums=0)(function, tree)"),
    _way("custom-jvp", "tree_with_custom_jvp(function)(tree)", _CUSTOM_JVP),
    _way("custom-jvp-in-jit", "jax.jit(tree_with_custom_jvp(function))(tree)", _CUSTOM_JVP),
    _way("custom-vjp", "tree_with_custom_vjp(function)(tree)", _CUSTOM_VJP),
    _way("custom-vjp-in-jit", "jax.jit(tree_with_custom_vjp(function))(tree)", _CUSTOM_VJP),
    _way("custom-vjp-nondiff", "tree_with_custom_vjp_of(function)(tree)", _NONDIFF),
    _way("custom-gradient", "tree_with_unused_gradient(function)(tree)", _PRIMAL_GRADIENT),
    _way("custom-vmap", "tree_with_custom_vmap(function)(tree)", _CUSTOM_VMAP),
    _way(
        "pure-callback", "function(tree_through_callback(tree_of_arrays(tree)))", _ARRAYS, _CALLBACK
    ),
    _way(
        "pure-callback-in-jit",
        "jax.jit(lambda tree: function(tree_through_callback(tree)))(tree)",
        _CALLBACK,
    ),
    _way("io-callback", "jax.jit(lambda tree: function(tree_through_io(tree)))(tree)", _IO),
    _way("debug-callback", "tree_seen_by_debug(function, tree)", _DEBUG),
    _way("device-get", "function(jax.device_get(tree))"),
    _way("device-put", "function(tree_placed(tree))", _PLACED),
    _way("device-put-copy", "function(jax.device_put(tree, may_alias=False))"),
    _way("device-put-in-jit", "jax.jit(lambda tree: function(jax.device_put(tree)))(tree)"),
    _way("block", "jax.block_until_ready(function(tree))"),
    _way("barrier", "jax.lax.optimization_barrier(function(tree))"),
    _way("stop-gradient", "jax.lax.stop_gradient(function(tree))"),
    _way(
        "scan-carry",
        "jax.lax.scan(lambda carry, _: (function(carry), None), tree_of_arrays(tree), None, "
        "length=1)[0]",
        _ARRAYS,
    ),
    _way(
        "fori-loop",
        "jax.lax.fori_loop(0, 1, lambda i, carry: function(carry), tree_of_arrays(tree))",
        _ARRAYS,
    ),
    _way(
        "fori-loop-traced",
        "jax.jit(lambda end, tree: jax.lax.fori_loop(0, end, lambda i, carry: function(carry), "
        "tree))(1, tree_of_arrays(tree))",
        _ARRAYS,
    ),
    _way(
        "while-loop",
        "jax.lax.while_loop(lambda carry: carry[0] < 1, "
        "lambda carry: (carry[0] + 1, function(carry[1])), (0, tree_of_arrays(tree)))[1]",
        _ARRAYS,
    ),
    _way("cond", "jax.lax.cond(True, function, lambda tree: tree, tree_of_arrays(tree))", _ARRAYS),
    _way(
        "cond-closed",
        "jax.jit(lambda flag: jax.lax.cond(flag, lambda: function(tree), lambda: tree))(True)",
    ),
    _way(
        "switch", "jax.lax.switch(1, [lambda tree: tree, function], tree_of_arrays(tree))", _ARRAYS
    ),
    _way("vmap-broadcast", "jax.vmap(lambda _: function(tree), out_axes=None)(jnp.zeros(2))"),
    _way("vmap-size", "jax.vmap(function, in_axes=None, out_axes=None, axis_size=2)(tree)"),
    _way("pmap-broadcast", "jax.pmap(lambda _: function(tree), out_axes=None)(jnp.zeros(1))"),
    _way("jaxpr", "tree_evaluated(function, tree)", _JAXPR),
    _way("export", "tree_exported(function, tree_of_arrays(tree))", _ARRAYS, _EXPORT),
    _way("checkify", "tree_checked(function, tree)", _CHECKIFY),
    _way("shard-map", "tree_over_one_device(function, tree_of_arrays(tree))", _ARRAYS, _MESH),
    _way("named-call", "jax.named_call(function, name='call')(tree)"),
    _way("aux-of-grad", "jax.grad(lambda x: (x, function(tree)), has_aux=True)(1.0)[1]"),
    _way("aux-of-vjp", "jax.vjp(lambda x: (x, function(tree)), 1.0, has_aux=True)[2]"),
    _way("aux-of-jvp", "jax.jvp(lambda x: (x, function(tree)), (1.0,), (1.0,), has_aux=True)[2]"),
    _way("aux-of-linearize", "jax.linearize(lambda x: (x, function(tree)), 1.0, has_aux=True)[2]"),
    _way("aux-of-jacfwd", "jax.jacfwd(lambda x: (x, function(tree)), has_aux=True)(1.0)[1]"),
    _way("aux-of-jacrev", "jax.jacrev(lambda x: (x, function(tree)), has_aux=True)(1.0)[1]"),
    _way("without-jit", "run_within(jax.disable_jit(), lambda: jax.jit(function)(tree))", WITHIN),
    _way(
        "leaks-checked",
        "run_within(jax.checking_leaks(), lambda: jax.jit(function)(tree))",
        WITHIN,
    ),
    _way(
        "promotion-strict",
        "run_within(jax.numpy_dtype_promotion('strict'), lambda: jax.jit(function)(tree))",
        WITHIN,
    ),
    _way(
        "ranks-raise",
        "run_within(jax.numpy_rank_promotion('raise'), lambda: jax.jit(function)(tree))",
        WITHIN,
    ),
    _way("thread", "run_in_thread(lambda: jax.jit(function)(tree))", IN_THREAD),
)
# Ways to get `jax.vmap(function)(tree)`, where each leaf of the tree has a leading axis.
MAPS: Sequence[Kind] = (
    _way("vmap", "jax.vmap(function)(tree)"),
    _way("vmap-axes", "jax.vmap(function, in_axes=(0,), out_axes=0)(tree)"),
    _way("vmap-named", "jax.vmap(function, axis_name='all')(tree)"),
    _way("vmap-in-jit", "jax.jit(jax.vmap(function))(tree)"),
    _way("vmap-of-jit", "jax.vmap(jax.jit(function))(tree)"),
    _way("vmap-of-checkpoint", "jax.vmap(jax.checkpoint(function))(tree)"),
    _way("vmap-of-custom-vmap", "jax.vmap(tree_with_custom_vmap(function))(tree)", _CUSTOM_VMAP),
    _way("vmap-of-custom-jvp", "jax.vmap(tree_with_custom_jvp(function))(tree)", _CUSTOM_JVP),
    _way("vmap-of-custom-vjp", "jax.vmap(tree_with_custom_vjp(function))(tree)", _CUSTOM_VJP),
    _way(
        "vmap-of-cond", "jax.vmap(lambda tree: jax.lax.cond(True, function, function, tree))(tree)"
    ),
    _way("vmap-of-spmd", "jax.vmap(function, spmd_axis_name='all')(tree)"),
    _way("map", "jax.lax.map(function, tree)"),
    _way("scan", "jax.lax.scan(lambda carry, one: (carry, function(one)), None, tree)[1]"),
    _way(
        "scan-backwards",
        "jax.lax.scan(lambda carry, one: (carry, function(one)), None, tree, reverse=True)[1]",
    ),
    _way(
        "scan-unrolled",
        "jax.lax.scan(lambda carry, one: (carry, function(one)), None, tree, unroll=2)[1]",
    ),
    _way(
        "associative-scan",
        "jax.lax.associative_scan(lambda one, other: other, jax.vmap(function)(tree))",
    ),
)

# Ways to get `jax.grad(function)(tree)`, where `function` gives a number.
DERIVATIVES: Sequence[Kind] = (
    _way("grad", "jax.grad(function)(tree)"),
    _way("grad-in-jit", "jax.jit(jax.grad(function))(tree)"),
    _way("grad-of-jit", "jax.grad(jax.jit(function))(tree)"),
    _way("grad-argnums", "jax.grad(lambda other, tree: function(tree), argnums=1)('text', tree)"),
    _way(
        "grad-several",
        "jax.grad(lambda one, other: function(one) + function(other), argnums=(0, 1))"
        "(tree, tree)[1]",
    ),
    _way(
        "grad-keyword", "jax.grad(lambda held, *, text: function(held[0]))([tree], text='text')[0]"
    ),
    _way("grad-aux", "jax.grad(lambda tree: (function(tree), tree), has_aux=True)(tree)[0]"),
    _way("value-and-grad", "jax.value_and_grad(function)(tree)[1]"),
    _way(
        "value-and-grad-options",
        "jax.value_and_grad(lambda other, tree: (function(tree), tree), argnums=1, has_aux=True)"
        "('text', tree)[1]",
    ),
    _way(
        "vjp-aux",
        "jax.vjp(lambda tree: (function(tree), tree), tree, has_aux=True)[1]"
        "(jnp.ones_like(function(tree)))[0]",
    ),
    _way(
        "forward-and-backward",
        "(lambda forward, backward: backward(forward(tree)[1], jnp.ones_like(function(tree)))[0])"
        "(*jax.fwd_and_bwd(function, argnums=(0,)))",
    ),
    _way("grad-of-root", "jax.grad(lambda tree: function(tree_as_root(tree)))(tree)", _ROOT),
    _way("grad-of-solve", "jax.grad(lambda tree: function(tree_solved(tree)))(tree)", _SOLVED),
    _way(
        "grad-of-custom-jvp-nondiff",
        "jax.grad(tree_with_custom_jvp_of(function))(tree)",
        _NONDIFF_JVP,
    ),
    _way("vjp", "jax.vjp(function, tree)[1](jnp.ones_like(function(tree)))[0]"),
    _way("grad-of-checkpoint", "jax.grad(jax.checkpoint(function))(tree)"),
    _way(
        "grad-of-checkpoint-policy",
        "jax.grad(jax.checkpoint(function, policy=jax.checkpoint_policies.nothing_saveable))(tree)",
    ),
    _way("grad-of-custom-jvp", "jax.grad(tree_with_custom_jvp(function))(tree)", _CUSTOM_JVP),
    _way("grad-of-custom-jvps", "jax.grad(tree_with_custom_jvps(function))(tree)", _CUSTOM_JVPS),
    _way("grad-of-custom-vjp", "jax.grad(tree_with_custom_vjp(function))(tree)", _CUSTOM_VJP),
    _way(
        "grad-of-custom-vjp-nondiff", "jax.grad(tree_with_custom_vjp_of(function))(tree)", _NONDIFF
    ),
    _way(
        "grad-of-custom-gradient",
        "jax.grad(tree_with_custom_gradient(function))(tree)",
        _CUSTOM_GRADIENT,
    ),
    _way(
        "grad-of-closure-converted",
        "jax.grad(jax.closure_convert(function, tree)[0])(tree)",
    ),
    _way(
        "grad-of-cond", "jax.grad(lambda tree: jax.lax.cond(True, function, function, tree))(tree)"
    ),
    _way(
        "grad-of-scan",
        "jax.grad(lambda tree: jax.lax.scan(lambda held, _: (held, function(held)), tree, None, "
        "length=1)[1][0])(tree)",
    ),
    _way(
        "grad-of-vmap",
        "jax.grad(lambda tree: jax.vmap(lambda _: function(tree))(jnp.zeros(1))[0])(tree)",
    ),
    _way(
        "linear-transpose",
        "jax.linear_transpose(jax.linearize(function, tree)[1], tree)"
        "(jnp.ones_like(function(tree)))[0]",
    ),
    _way(
        "without-jit",
        "run_within(jax.disable_jit(), lambda: jax.grad(jax.jit(function))(tree))",
        WITHIN,
    ),
    _way("thread", "run_in_thread(lambda: jax.grad(function)(tree))", IN_THREAD),
)


@st.composite
def in_ways(
    draw: st.DrawFn, drawn: st.SearchStrategy[Recipe], ways: Sequence[Kind] = CALLS
) -> Recipe:
    """Draw a case, and `run`, which calls a function on a tree in some way: `run(function, tree)`.

    Args:
        drawn: the case; its names stay.
        ways: the ways; one that the releases have is drawn.
    """
    scope = Scope()
    scope.include(draw(drawn))
    way = draw(st.sampled_from(available(ways)))
    scope.define(*way.definitions)
    scope.note(*way.features)
    scope.bind("run", f"lambda function, tree: {way.template}")
    return scope.recipe()
