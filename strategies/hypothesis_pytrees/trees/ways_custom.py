"""Functions as text that several ways to call a function need."""

from __future__ import annotations

from hypothesis_pytrees.core.releases import Since

NAMES = Since(
    "`nondiff_argnames` of functions with rules",
    "jax>=0.6.2",
    "https://github.com/jax-ml/jax/blob/jax-v0.6.2/jax/_src/custom_derivatives.py",
)

CUSTOM_JVP = """\
def tree_with_custom_jvp(function):
    custom = jax.custom_jvp(function)
    custom.defjvp(lambda primals, tangents: jax.jvp(function, primals, tangents))
    return custom
"""
CUSTOM_VJP = """\
def tree_with_custom_vjp(function):
    custom = jax.custom_vjp(function)
    pull = lambda tree, given: jax.vjp(function, tree)[1](given)
    custom.defvjp(lambda tree: (function(tree), tree), pull)
    return custom
"""
NONDIFF = """\
def tree_with_custom_vjp_of(function):
    custom = jax.custom_vjp(lambda call, tree: call(tree), nondiff_argnums=(0,))
    pull = lambda call, tree, given: jax.vjp(call, tree)[1](given)
    custom.defvjp(lambda call, tree: (call(tree), tree), pull)
    return lambda tree: custom(function, tree)
"""
CUSTOM_VMAP = """\
def tree_with_custom_vmap(function):
    custom = jax.custom_batching.custom_vmap(function)
    custom.def_vmap(
        lambda size, batched, tree: (jax.vmap(function)(tree), jtu.tree_map(lambda _: True, tree))
    )
    return custom
"""
NONDIFF_JVP = """\
def tree_with_custom_jvp_of(function):
    custom = jax.custom_jvp(lambda call, tree: call(tree), nondiff_argnums=(0,))
    custom.defjvp(lambda call, primals, tangents: jax.jvp(call, primals, tangents))
    return lambda tree: custom(function, tree)
"""
NONDIFF_NAME = """\
def tree_with_custom_vjp_by_name(function):
    custom = jax.custom_vjp(lambda tree, call: call(tree), nondiff_argnames=('call',))
    pull = lambda call, tree, given: jax.vjp(call, tree)[1](given)
    custom.defvjp(lambda tree, call: (call(tree), tree), pull)
    return lambda tree: custom(tree, call=function)
"""
NONDIFF_JVP_NAME = """\
def tree_with_custom_jvp_by_name(function):
    custom = jax.custom_jvp(lambda tree, call: call(tree), nondiff_argnames=('call',))
    custom.defjvp(lambda call, primals, tangents: jax.jvp(call, primals, tangents))
    return lambda tree: custom(tree, call=function)
"""
# Callbacks of JAX take and return no random keys.
_WITHOUT_KEYS = """\
def tree_without_keys(tree):
    is_key = lambda leaf: jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    return jtu.tree_map(lambda leaf: jax.random.key_data(leaf) if is_key(leaf) else leaf, tree)
"""
_WITH_KEYS = """\
def tree_with_keys_of(tree, plain):
    def keyed(leaf, given):
        if not jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            return given
        return jax.random.wrap_key_data(given, impl=jax.random.key_impl(leaf))

    return jtu.tree_map(keyed, tree, plain)
"""
KEYS = (_WITHOUT_KEYS, _WITH_KEYS)
ARRAYS = """\
def tree_of_arrays(tree):
    return jtu.tree_map(jnp.asarray, tree)
"""
COPIED = """\
def tree_copied(tree):
    return jtu.tree_map(lambda leaf: jnp.array(leaf, copy=True), tree)
"""
