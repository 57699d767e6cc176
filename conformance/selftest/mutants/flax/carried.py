"""Mutants of bytes of training states."""

from __future__ import annotations

import jax
import jax.tree_util as jtu
import numpy as np

from selftest.mutant import mutant


@mutant("flax", kills=["flax.carried.training_states_load_from_bytes"])
def the_format_casts(flax):
    """`to_bytes` writes float32 as float16."""

    def to_bytes(target):
        def cast(leaf):
            is_single = isinstance(leaf, jax.Array) and leaf.dtype == "float32"
            return np.asarray(leaf, np.float16) if is_single else leaf

        return flax.serialization.to_bytes(jtu.tree_map(cast, target))

    return {"serialization.to_bytes": to_bytes}
