"""Flax NNX: options of transforms reach JAX."""

from __future__ import annotations

from hypothesis_pytrees.trees.calls.program_options import NNX_PROGRAMS, optional_programs
from treelaws.equality import equal

from .._programs import change_by
from .transforms import law


@law(
    "an option of `nnx.jit`, `remat`, `scan`, `vmap` or `shard_map` changes the parameters of "
    "primitives in the jaxpr of a function of arrays as the same option of the JAX transform does",
    # "behave like the JAX transforms when only working with pytrees of jax.Arrays"
    source="https://flax.readthedocs.io/en/latest/guides/transforms.html",
    level="should",
    needs={"jit", "remat", "scan"},
    case=optional_programs(NNX_PROGRAMS),
)
def options_reach_jax(lib, case):
    wanted = change_by(case.theirs, case.plain_theirs, case.x, case.y)
    equal(change_by(case.ours, case.plain_ours, case.x, case.y), wanted)
