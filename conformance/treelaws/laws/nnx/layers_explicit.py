"""Flax NNX: layers on meshes of explicit axes, where a sharding is part of the type of an array."""

from __future__ import annotations

import jax
import numpy as np

from hypothesis_pytrees.nnx.layers.explicit import dropped_on_devices
from treelaws.core.mismatch import Mismatch, shown
from treelaws.equality import same

from .layers import law


@law(
    "`Dropout` gives on a mesh of explicit axes the numbers that it gives on one device, in the "
    "sharding of its input",
    # "It should also match the sharding of the input."
    source="https://github.com/google/flax/issues/5209",
    level="should",
    needs={"eight_devices", "Dropout", "explicit_axes"},
    case=dropped_on_devices(),
)
def dropout_follows_the_sharding_of_its_input(lib, case):
    wanted, layer = case.call(case.make(), case.x), case.make()
    sharding = jax.sharding.NamedSharding(case.mesh, case.spec)
    with jax.set_mesh(case.mesh):
        got = case.call(layer, jax.device_put(case.x, sharding))
    same(np.asarray(got), np.asarray(wanted))
    if not got.sharding.is_equivalent_to(sharding, got.ndim):
        raise Mismatch("", "sharding", shown(got.sharding), shown(sharding))
