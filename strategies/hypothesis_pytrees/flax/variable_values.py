"""Values of variables, of Flax NNX and of Linen, which differ from one another."""

from __future__ import annotations

# By kind: functions that make a value whose leaves are those of no other number.
CODE = """\
FLAX_VALUES = {
    'array': lambda at: jax.device_put(np.float32([at, at + 0.5])),
    'number': lambda at: at + 0.25,
    'none': lambda at: None,
    'tuple': lambda at: (jax.device_put(np.float32(at)), jax.device_put(np.float32(at + 0.5))),
    'list': lambda at: [jax.device_put(np.float32(at))],
    'empty-tuple': lambda at: (),
    'dict': lambda at: {'a': jax.device_put(np.float32(at)), 'b': {'c': jnp.float32(at + 0.5)}},
    'int-dict': lambda at: {1: jax.device_put(np.float32(at))},
    'empty-dict': lambda at: {},
    'frozen-dict': lambda at: flax.core.freeze({'a': jax.device_put(np.float32(at))}),
}
"""
