"""Equinox: options reach the program that JAX makes."""

from __future__ import annotations

from hypothesis_pytrees.trees.calls.program_options import EQUINOX_PROGRAMS, optional_programs
from treelaws.equality import equal

from .._programs import change_by
from .trace import law


@law(
    "`donate` of `filter_jit`, and `policy` and `prevent_cse` of `filter_checkpoint`, change the "
    "program of a function of arrays as those options of `jax.jit` and `jax.checkpoint` change it",
    source="https://docs.kidger.site/equinox/api/transformations/#equinox.filter_jit",
    level="should",
    needs={"filter_jit", "filter_checkpoint"},
    case=optional_programs(EQUINOX_PROGRAMS),
    weight=0.2,
)
def options_reach_the_program(lib, case):
    wanted = change_by(case.theirs, case.plain_theirs, case.x, case.y)
    equal(change_by(case.ours, case.plain_ours, case.x, case.y), wanted)
