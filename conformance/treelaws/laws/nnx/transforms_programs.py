"""Flax NNX: options reach the program that JAX makes."""

from __future__ import annotations

from hypothesis_pytrees.trees.calls.program_options import NNX_PROGRAMS, optional_programs
from treelaws.equality import equal

from .._programs import change_by
from .transforms import law


@law(
    "an option of `jit`, `remat`, `scan` or `shard_map` changes the program of a function of "
    "arrays as the same option of the transform of JAX changes it",
    source="https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/transforms.html",
    level="should",
    needs={"jit", "remat", "scan"},
    case=optional_programs(NNX_PROGRAMS),
    weight=0.4,
)
def options_reach_the_program(lib, case):
    wanted = change_by(case.theirs, case.plain_theirs, case.x, case.y)
    equal(change_by(case.ours, case.plain_ours, case.x, case.y), wanted)
