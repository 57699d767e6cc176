"""Mutants of `nnx.EMA`."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from selftest.mutant import mutant
from treelaws.compat import nnx as nnx_api
from treelaws.laws.nnx._model import variables_of

_ID = "nnx.ema."


def _ema(nnx: Any, **methods: Any) -> dict[str, Any]:
    return {"EMA": type("EMA", (nnx.EMA,), methods)} if hasattr(nnx, "EMA") else {}


@mutant("nnx", kills=[_ID + "every_model_of_variables_is_tracked"])
def floats_alone_are_tracked(nnx):
    """An EMA refuses Variables of integers."""

    def update(self, updates):
        held = [nnx_api.raw_value(one) for _, one in variables_of(self.params)]
        if any(jnp.issubdtype(one.dtype, jnp.integer) for one in held):
            raise TypeError("no integers, please")
        super(broken["EMA"], self).update(updates)

    broken = _ema(nnx, update=update)
    return broken


@mutant("nnx", kills=[_ID + "averages_keep_their_dtypes"])
def averages_are_single(nnx):
    """`update` makes the averages of bfloat16 and float16 averages of float32."""

    def update(self, updates):
        super(broken["EMA"], self).update(updates)
        for _, one in variables_of(self.params):
            value = nnx_api.raw_value(one)
            if value.dtype.itemsize == 2:
                nnx_api.set_value(one, value.astype(jnp.float32))

    broken = _ema(nnx, update=update)
    return broken


@mutant("nnx", kills=[_ID + "compiled_updates_keep_the_types"])
def averages_become_weak(nnx):
    """`update` makes averages weakly typed."""

    def update(self, updates):
        super(broken["EMA"], self).update(updates)
        for _, one in variables_of(self.params):
            if nnx_api.raw_value(one).dtype == jnp.float32:
                nnx_api.set_value(one, jnp.full(one.shape, 2.0, None))

    broken = _ema(nnx, update=update)
    return broken
