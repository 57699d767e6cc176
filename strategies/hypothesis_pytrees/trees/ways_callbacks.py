"""Ways in which JAX calls a function on a tree, as text: callbacks.

Each is an expression of `function` and `tree`, trees of arrays of the same shapes and dtypes.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.ways import way

from .ways_custom import ARRAYS, KEYS

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
_OPERANDS = """\
def tree_through_callback_with_more(tree):
    plain = tree_without_keys(tree)
    shapes = jtu.tree_map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), plain)

    def seen(number, given, pair, nothing):
        assert (float(number), int(pair[0]), nothing) == (2.0, 1, None)
        return jtu.tree_map(lambda one, other: np.asarray(one), given, pair[1])

    found = jax.pure_callback(seen, shapes, np.float32(2.0), plain, [1, plain], None)
    return tree_with_keys_of(tree, found)
"""
_DEBUG = """\
def tree_seen_by_debug(function, tree):
    seen = []
    jax.jit(lambda tree: jax.debug.callback(seen.append, tree))(tree)
    jax.effects_barrier()
    return function(seen[0])
"""
# Ways to get `function(tree)` through Python.
IN_CALLBACKS: Sequence[Kind] = (
    way(
        "pure-callback",
        "function(tree_through_callback(tree_of_arrays(tree)))",
        ARRAYS,
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
        "pure-callback-operands",
        "jax.jit(lambda tree: function(tree_through_callback_with_more(tree)))(tree)",
        *KEYS,
        _OPERANDS,
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
)
