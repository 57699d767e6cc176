"""Equinox: options of transforms reach JAX."""

from __future__ import annotations

from hypothesis_pytrees.trees.calls.program_options import EQUINOX_PROGRAMS, optional_programs
from treelaws.equality import equal

from .._programs import change_by
from .trace import law


@law(
    "`policy` and `prevent_cse` of `filter_checkpoint` change the parameters of primitives in the "
    "jaxpr of a function of arrays as those of `jax.checkpoint` do",
    source="https://docs.kidger.site/equinox/api/transformations/#equinox.filter_checkpoint",
    level="should",
    needs={"filter_checkpoint"},
    case=optional_programs(EQUINOX_PROGRAMS),
)
def options_of_checkpoint_reach_jax(lib, case):
    wanted = change_by(case.theirs, case.plain_theirs, case.x, case.y)
    equal(change_by(case.ours, case.plain_ours, case.x, case.y), wanted)
