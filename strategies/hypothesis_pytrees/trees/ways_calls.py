"""Ways in which JAX calls a function on a tree, as text: transformations, loops, contexts.

Each is an expression of `function` and `tree`, trees of arrays of the same shapes and dtypes.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis_pytrees.core.contexts import IN_THREAD, WITHIN
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.ways import way

from .ways_callbacks import IN_CALLBACKS
from .ways_custom import (
    ARRAYS,
    COPIED,
    CUSTOM_JVP,
    CUSTOM_VJP,
    CUSTOM_VMAP,
    NAMES,
    NONDIFF,
    NONDIFF_JVP,
    NONDIFF_JVP_NAME,
    NONDIFF_NAME,
)
from .ways_devices import ON_DEVICES
from .ways_programs import AS_PROGRAMS

_PRIMAL_GRADIENT = """\
def tree_with_unused_gradient(function):
    return jax.custom_gradient(lambda tree: (function(tree), lambda given: (given,)))
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
        COPIED,
    ),
    way("jit-inline", "jax.jit(lambda tree: jax.jit(function, inline=True)(tree))(tree)"),
    way(
        "jit-donated-name",
        "jax.jit(lambda tree: function(tree), donate_argnames='tree')(tree=tree_copied(tree))",
        COPIED,
    ),
    way("jit-donated", "jax.jit(function, donate_argnums=0)(tree_copied(tree))", COPIED),
    way("custom-jvp-nondiff", "tree_with_custom_jvp_of(function)(tree)", NONDIFF_JVP),
    way("jit-closed", "jax.jit(lambda: function(tree))()"),
    way("jit-partial", "jax.jit(functools.partial(function))(tree)"),
    way("jit-tree-partial", f"jax.jit({_CALLED})(jtu.Partial(function), tree)"),
    way("jit-held", "jax.jit(lambda held: function(held['a'][1]))({'a': (None, tree)})"),
    way(
        "jit-keep-unused", "jax.jit(lambda other, tree: function(tree), keep_unused=True)(1, tree)"
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
    way("block", "jax.block_until_ready(function(tree))"),
    way("barrier", "jax.lax.optimization_barrier(function(tree))"),
    way("stop-gradient", "jax.lax.stop_gradient(function(tree))"),
    way(
        "scan-carry",
        "jax.lax.scan(lambda carry, _: (function(carry), None), tree_of_arrays(tree), None, "
        "length=1)[0]",
        ARRAYS,
    ),
    way(
        "scan-of-nothing",
        "jtu.tree_map(lambda leaf: leaf[0], jax.lax.scan(lambda carry, _: (carry, function(tree)), "
        "(None, None), None, length=1)[1])",
    ),
    way(
        "fori-loop",
        "jax.lax.fori_loop(0, 1, lambda i, carry: function(carry), tree_of_arrays(tree))",
        ARRAYS,
    ),
    way(
        "fori-loop-traced",
        "jax.jit(lambda end, tree: jax.lax.fori_loop(0, end, lambda i, carry: function(carry), "
        "tree))(1, tree_of_arrays(tree))",
        ARRAYS,
    ),
    way(
        "while-loop",
        "jax.lax.while_loop(lambda carry: carry[0] < 1, "
        "lambda carry: (carry[0] + 1, function(carry[1])), (0, tree_of_arrays(tree)))[1]",
        ARRAYS,
    ),
    way(
        "fori-loop-unrolled",
        "jax.lax.fori_loop(0, 1, lambda i, carry: function(carry), tree_of_arrays(tree), unroll=2)",
        ARRAYS,
    ),
    way(
        "cond-operand",
        "jax.lax.cond(True, function, lambda tree: tree, operand=tree_of_arrays(tree))",
        ARRAYS,
    ),
    way(
        "switch-operand",
        "jax.lax.switch(1, [lambda tree: tree, function], operand=tree_of_arrays(tree))",
        ARRAYS,
    ),
    way("cond", "jax.lax.cond(True, function, lambda tree: tree, tree_of_arrays(tree))", ARRAYS),
    way(
        "cond-false",
        "jax.lax.cond(False, lambda tree: tree, function, tree_of_arrays(tree))",
        ARRAYS,
    ),
    way(
        "cond-closed",
        "jax.jit(lambda flag: jax.lax.cond(flag, lambda: function(tree), lambda: tree))(True)",
    ),
    way("switch", "jax.lax.switch(1, [lambda tree: tree, function], tree_of_arrays(tree))", ARRAYS),
    way("vmap-broadcast", "jax.vmap(lambda _: function(tree), out_axes=None)(jnp.zeros(2))"),
    way("vmap-size", "jax.vmap(function, in_axes=None, out_axes=None, axis_size=2)(tree)"),
    way("sequential-vmap", "jax.custom_batching.sequential_vmap(function)(tree)"),
    way("platform", "jax.lax.platform_dependent(tree, default=function)"),
    way(
        "platforms",
        "jax.jit(lambda tree: jax.lax.platform_dependent(tree, cpu=function, default=function))"
        "(tree)",
    ),
    way("named-scope", "jax.named_scope('call')(function)(tree)"),
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
    *ON_DEVICES,
    *IN_CALLBACKS,
    *AS_PROGRAMS,
)
