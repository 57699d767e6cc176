"""Models to time: `pytest perf/ --benchmark --subject perf.example_models:equinox_mlp`."""

from __future__ import annotations

from typing import Any

import jax

_WIDTH, _HEADS, _BLOCKS, _LAYERS = 32, 4, 12, 4


def equinox_mlp() -> Any:
    """Make an Equinox MLP of four layers."""
    import equinox as eqx

    return eqx.nn.MLP(_WIDTH, _WIDTH, _WIDTH, _LAYERS - 1, key=jax.random.key(0))


def equinox_transformer() -> Any:
    """Make an Equinox transformer of twelve blocks."""
    import equinox as eqx

    class Block(eqx.Module):
        attention: eqx.nn.MultiheadAttention
        first_norm: eqx.nn.LayerNorm
        second_norm: eqx.nn.LayerNorm
        mlp: eqx.nn.MLP

        def __init__(self, key: jax.Array) -> None:
            one, other = jax.random.split(key)
            self.attention = eqx.nn.MultiheadAttention(_HEADS, _WIDTH, key=one)
            self.first_norm = eqx.nn.LayerNorm(_WIDTH)
            self.second_norm = eqx.nn.LayerNorm(_WIDTH)
            self.mlp = eqx.nn.MLP(_WIDTH, _WIDTH, 4 * _WIDTH, 1, key=other)

    return [Block(key) for key in jax.random.split(jax.random.key(0), _BLOCKS)]


def nnx_mlp() -> Any:
    """Make an NNX MLP of four layers."""
    from flax import nnx

    rngs = nnx.Rngs(0)
    return nnx.Sequential(*(nnx.Linear(_WIDTH, _WIDTH, rngs=rngs) for _ in range(_LAYERS)))


def nnx_transformer() -> Any:
    """Make an NNX transformer of twelve blocks."""
    from flax import nnx

    class Block(nnx.Module):
        def __init__(self, rngs: nnx.Rngs) -> None:
            self.attention = nnx.MultiHeadAttention(_HEADS, _WIDTH, decode=False, rngs=rngs)
            self.first_norm = nnx.LayerNorm(_WIDTH, rngs=rngs)
            self.second_norm = nnx.LayerNorm(_WIDTH, rngs=rngs)
            self.up = nnx.Linear(_WIDTH, 4 * _WIDTH, rngs=rngs)
            self.down = nnx.Linear(4 * _WIDTH, _WIDTH, rngs=rngs)

    rngs = nnx.Rngs(0)
    return nnx.Sequential(*(Block(rngs) for _ in range(_BLOCKS)))
