"""Ways in which JAX differentiates a function of a tree, as text.

Each is an expression of `function` and `tree`.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis_pytrees.core.contexts import IN_THREAD, WITHIN
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.releases import BARRIER_DERIVATIVES
from hypothesis_pytrees.core.ways import CALLER, way

from .ways_custom import (
    CUSTOM_JVP,
    CUSTOM_VJP,
    NAMES,
    NONDIFF,
    NONDIFF_JVP,
    NONDIFF_JVP_NAME,
    NONDIFF_NAME,
)

_CUSTOM_JVPS = """\
def tree_with_custom_jvps(function):
    custom = jax.custom_jvp(function)
    custom.defjvps(lambda tangent, result, tree: jax.jvp(function, (tree,), (tangent,))[1])
    return custom
"""
_CUSTOM_GRADIENT = """\
def tree_with_custom_gradient(function):
    def custom(tree):
        result, pull = jax.vjp(function, tree)
        return result, lambda given: pull(given)

    return jax.custom_gradient(custom)
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
_ROOT_AUX = """\
def tree_as_root_with_more(tree):
    difference = lambda one, other: jtu.tree_map(jnp.subtract, one, other)
    start = jtu.tree_map(jnp.zeros_like, tree)
    found = lambda residual, first: (difference(first, residual(first)), tree)
    return jax.lax.custom_root(
        lambda x: difference(x, tree), start, found, lambda linear, right: right, has_aux=True
    )[0]
"""
_SOLVED_TRANSPOSED = """\
def tree_solved_with_a_transpose(tree):
    solve = lambda product, right: (right, None)
    return jax.lax.custom_linear_solve(lambda x: x, tree, solve, solve, has_aux=True)[0]
"""
_SYMBOLIC_JVP = """\
def tree_with_symbolic_jvp(function):
    custom = jax.custom_jvp(lambda other, tree: function(tree))
    rule = lambda primals, tangents: jax.jvp(function, primals[1:], tangents[1:])
    custom.defjvp(rule, symbolic_zeros=True)
    return lambda tree: custom(jnp.float32(1), tree)
"""
_SYMBOLIC_VJP = """\
def tree_with_symbolic_vjp(function):
    custom = jax.custom_vjp(lambda other, tree: function(tree))

    def forward(other, tree):
        values = jtu.tree_map(lambda leaf: leaf.value, tree)
        return function(values), values

    pull = lambda tree, given: (None, *jax.vjp(function, tree)[1](given))
    custom.defvjp(forward, pull, symbolic_zeros=True)
    return lambda tree: custom(jnp.float32(1), tree)
"""
# A Jacobian by leaves of several dtypes has one dtype.
_DTYPES = """\
def tree_of_dtypes(tree, other):
    return jtu.tree_map(lambda one, leaf: jnp.asarray(one, jnp.result_type(leaf)), tree, other)
"""
# Ways to get `jax.grad(function)(tree)`, where `function` gives a number.
DERIVATIVES: Sequence[Kind] = (
    way("grad", "jax.grad(function)(tree)"),
    way("grad-in-jit", "jax.jit(jax.grad(function))(tree)"),
    way("grad-of-jit", "jax.grad(jax.jit(function))(tree)"),
    way(
        "jvp-of-lists",
        "jax.grad(lambda tree: jax.jvp(lambda one, other: function(other), "
        "[tree, tree], [jtu.tree_map(jnp.zeros_like, tree)] * 2)[0])(tree)",
    ),
    way("grad-argnums", "jax.grad(lambda other, tree: function(tree), argnums=1)('text', tree)"),
    way(
        "grad-several",
        "jax.grad(lambda one, other: function(one) + function(other), argnums=(0, 1))"
        "(tree, tree)[1]",
    ),
    way(
        "grad-keyword", "jax.grad(lambda held, *, text: function(held[0]))([tree], text='text')[0]"
    ),
    way("grad-aux", "jax.grad(lambda tree: (function(tree), tree), has_aux=True)(tree)[0]"),
    way("value-and-grad", "jax.value_and_grad(function)(tree)[1]"),
    way(
        "value-and-grad-options",
        "jax.value_and_grad(lambda other, tree: (function(tree), tree), argnums=1, has_aux=True)"
        "('text', tree)[1]",
    ),
    way(
        "vjp-aux",
        "jax.vjp(lambda tree: (function(tree), tree), tree, has_aux=True)[1]"
        "(jnp.ones_like(function(tree)))[0]",
    ),
    way(
        "forward-and-backward",
        "(lambda forward, backward: backward(forward(tree)[1], jnp.ones_like(function(tree)))[0])"
        "(*jax.fwd_and_bwd(function, argnums=(0,)))",
    ),
    way(
        "forward-and-backward-aux",
        "(lambda forward, backward: backward(forward('text', tree)[1], "
        "jnp.ones_like(function(tree)))[0])"
        "(*jax.fwd_and_bwd(lambda other, tree: (function(tree), tree), argnums=(1,), "
        "has_aux=True, jitted=False))",
    ),
    way("grad-of-root", "jax.grad(lambda tree: function(tree_as_root(tree)))(tree)", _ROOT),
    way("grad-of-solve", "jax.grad(lambda tree: function(tree_solved(tree)))(tree)", _SOLVED),
    way(
        "grad-of-custom-jvp-nondiff",
        "jax.grad(tree_with_custom_jvp_of(function))(tree)",
        NONDIFF_JVP,
    ),
    way("vjp", "jax.vjp(function, tree)[1](jnp.ones_like(function(tree)))[0]"),
    way("grad-of-checkpoint", "jax.grad(jax.checkpoint(function))(tree)"),
    way(
        "grad-of-checkpoint-policy",
        "jax.grad(jax.checkpoint(function, policy=jax.checkpoint_policies.nothing_saveable))(tree)",
    ),
    way("grad-of-custom-jvp", "jax.grad(tree_with_custom_jvp(function))(tree)", CUSTOM_JVP),
    way("grad-of-custom-jvps", "jax.grad(tree_with_custom_jvps(function))(tree)", _CUSTOM_JVPS),
    way("grad-of-custom-vjp", "jax.grad(tree_with_custom_vjp(function))(tree)", CUSTOM_VJP),
    way("grad-of-custom-vjp-nondiff", "jax.grad(tree_with_custom_vjp_of(function))(tree)", NONDIFF),
    way(
        "grad-of-custom-gradient",
        "jax.grad(tree_with_custom_gradient(function))(tree)",
        _CUSTOM_GRADIENT,
    ),
    way(
        "grad-of-closure-converted",
        "jax.grad(jax.closure_convert(function, tree)[0])(tree)",
    ),
    way(
        "grad-of-cond", "jax.grad(lambda tree: jax.lax.cond(True, function, function, tree))(tree)"
    ),
    way(
        "grad-of-scan",
        "jax.grad(lambda tree: jax.lax.scan(lambda held, _: (held, function(held)), tree, None, "
        "length=1)[1][0])(tree)",
    ),
    way(
        "grad-of-vmap",
        "jax.grad(lambda tree: jax.vmap(lambda _: function(tree))(jnp.zeros(1))[0])(tree)",
    ),
    # `jax.jacfwd` and `jax.jacrev` raise an error for a tree without leaves.
    way(
        "jacobian-forward",
        "tree_of_dtypes(jax.jacfwd(lambda held: function(held[0]))((tree, jnp.float32(1)))[0], "
        "tree)",
        _DTYPES,
    ),
    way(
        "jacobian-forward-argnums",
        "tree_of_dtypes(jax.jacfwd(lambda other, held: (function(held[0]), held), argnums=1, "
        "has_aux=True)('text', (tree, jnp.float32(1)))[0][0], tree)",
        _DTYPES,
    ),
    way(
        "jacobian-reverse",
        "tree_of_dtypes(jax.jacrev(lambda held: function(held[0]), allow_int=True)"
        "((tree, jnp.float32(1)))[0], tree)",
        _DTYPES,
    ),
    way("grad-integers", "jax.grad(function, allow_int=True)(tree)"),
    way(
        "value-and-grad-integers",
        "jax.value_and_grad(lambda tree, number: function(tree), argnums=(0, 1), allow_int=True)"
        "(tree, 1)[1][0]",
    ),
    way(
        "grad-of-pmap",
        "jax.grad(lambda tree: jax.pmap(lambda _, held: function(held), in_axes=(0, None))"
        "(jnp.zeros(1), tree)[0])(tree)",
    ),
    way(
        "grad-of-root-aux",
        "jax.grad(lambda tree: function(tree_as_root_with_more(tree)))(tree)",
        _ROOT_AUX,
    ),
    way(
        "grad-of-solve-transposed",
        "jax.grad(lambda tree: function(tree_solved_with_a_transpose(tree)))(tree)",
        _SOLVED_TRANSPOSED,
    ),
    way(
        "grad-of-platforms",
        "jax.grad(lambda tree: jax.lax.platform_dependent(tree, cpu=function, default=function))"
        "(tree)",
    ),
    way(
        "grad-of-barrier",
        "jax.grad(lambda tree: function(jax.lax.optimization_barrier(tree)))(tree)",
        needs=(BARRIER_DERIVATIVES,),
    ),
    way(
        "grad-of-device-put",
        "jax.grad(lambda tree: function(jax.device_put(tree, jax.devices()[0])))(tree)",
    ),
    way(
        "grad-of-collective",
        "jax.grad(lambda tree: jax.vmap(lambda _: jax.lax.all_gather(function(tree), 'all')[0], "
        "axis_name='all', out_axes=None)(jnp.zeros(1)))(tree)",
    ),
    way("grad-of-symbolic-jvp", "jax.grad(tree_with_symbolic_jvp(function))(tree)", _SYMBOLIC_JVP),
    way("grad-of-symbolic-vjp", "jax.grad(tree_with_symbolic_vjp(function))(tree)", _SYMBOLIC_VJP),
    way(
        "grad-of-custom-jvp-name",
        "jax.grad(tree_with_custom_jvp_by_name(function))(tree)",
        NONDIFF_JVP_NAME,
        needs=(NAMES,),
    ),
    way(
        "grad-of-custom-vjp-name",
        "jax.grad(tree_with_custom_vjp_by_name(function))(tree)",
        NONDIFF_NAME,
        needs=(NAMES,),
    ),
    way(
        "forward-and-backward-aux",
        "(lambda forward, backward: backward(forward(tree)[1], jnp.ones_like(function(tree)))[0])"
        "(*jax.fwd_and_bwd(lambda tree: (function(tree), tree), argnums=(0,), has_aux=True, "
        "jitted=False))",
    ),
    way(
        "linear-transpose",
        "jax.linear_transpose(jax.linearize(function, tree)[1], tree)"
        "(jnp.ones_like(function(tree)))[0]",
    ),
    way(
        "linear-transpose-method",
        "jax.linear_transpose(CallsFunction(jax.linearize(function, tree)[1]).call, tree)"
        "(jnp.ones_like(function(tree)))[0]",
        CALLER,
    ),
    way(
        "without-jit",
        "run_within(jax.disable_jit(), lambda: jax.grad(jax.jit(function))(tree))",
        WITHIN,
    ),
    way("thread", "run_in_thread(lambda: jax.grad(function)(tree))", IN_THREAD),
)
