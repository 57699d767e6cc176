"""Trees whose numbers depend on their key paths alone, so that each release makes the same ones.

Random numbers of two releases of JAX may differ, and new weights of a layer are often all alike.
"""

from __future__ import annotations

# Random keys stay as they are, and weak types weak. A bfloat16 holds the integers up to 256.
NUMBERED = """\
def numbered_arrays(tree):
    def numbered(path, leaf):
        if not isinstance(leaf, jax.Array) or not jnp.issubdtype(leaf.dtype, jnp.number):
            return leaf
        first = sum(place * ord(sign) for place, sign in enumerate(jtu.keystr(path))) % 101
        if leaf.weak_type:
            return jnp.asarray(leaf.dtype.type(first).item()) if leaf.ndim == 0 else leaf
        numbers = (np.arange(leaf.size) + first) % 101
        return jax.device_put(numbers.reshape(leaf.shape).astype(leaf.dtype))

    return jtu.tree_map_with_path(numbered, tree)
"""
