"""What the laws about streams of random keys read of them."""

from __future__ import annotations

import jax

from treelaws.compat import nnx as nnx_api


def keys_of(streams):
    """Return the key that each stream holds."""
    return [nnx_api.value(stream.key) for stream in streams]


def counts_of(streams):
    """Return the count that each stream holds."""
    return [nnx_api.value(stream.count) for stream in streams]


def shapes_of(streams):
    """Return the shape of the keys of each stream."""
    return [key.shape for key in keys_of(streams)]


def next_keys(streams):
    """Call each stream and return the keys."""
    return [stream() for stream in streams]


def how_many(keys):
    """Return the number of different keys in a list, or in an array."""
    return len({jax.random.key_data(key).tobytes() for key in keys})


def chosen(values, wanted):
    """Return the values of the streams to which a rule gives a shape."""
    return [value for value, shape in zip(values, wanted, strict=True) if isinstance(shape, tuple)]


def not_chosen(values, wanted):
    """Return the values of the streams whose shape a rule leaves as it is."""
    return [
        value for value, shape in zip(values, wanted, strict=True) if not isinstance(shape, tuple)
    ]


def shape_after(wanted):
    """Return the shapes of the keys of scalar streams after a rule."""
    return [shape if isinstance(shape, tuple) else () for shape in wanted]
