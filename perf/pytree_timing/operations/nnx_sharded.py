"""Flax NNX: calling what is compiled on Variables whose rows are on several devices."""

from __future__ import annotations

from typing import Any

import jax
from flax import nnx

from pytree_timing.calls import compiled, first_plus_one
from pytree_timing.operation import Call, Given

from .jax_sharded import FEW, rows, sharded


@sharded("nnx", sizes=FEW)
def nnx_jit(given: Given) -> Call:
    """nnx.jit of a function of one Variable, called on a module with a row on each device."""
    return compiled(nnx.jit(_first_of), _spread(given))


@sharded("nnx", sizes=FEW, needs=("flax.nnx.cached_partial",))
def nnx_cached_partial(given: Given) -> Call:
    """nnx.cached_partial of nnx.jit, for a module with a row on each device."""
    return compiled(nnx.cached_partial(nnx.jit(_first_of), _spread(given)))


def _spread(given: Given) -> Any:
    module = given.fresh()
    nnx.update(module, rows(given, nnx.state(module)))
    return module


def _first_of(module: Any) -> jax.Array:
    return first_plus_one(nnx.state(module))
