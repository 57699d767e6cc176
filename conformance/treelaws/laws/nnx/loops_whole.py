"""Flax NNX: a scan over other arguments changes a module that it takes whole as a loop does."""

from __future__ import annotations

from hypothesis_pytrees.nnx.calls.program_ways import WHOLE_IN_A_SCAN, programs_in_ways
from hypothesis_pytrees.nnx.module_programs import FIXED

from ._inputs import without_sharing
from ._model import same_graph
from .loops import fori_loop_repeats_the_program, law

_GUIDE = "https://flax.readthedocs.io/en/latest/guides/transforms.html"


@law(
    "what the function of a scan changes in a module without an axis is changed as by a loop",
    # "Propagating any state changes made to the objects inside the transformation to the objects
    # outside the transformation."
    source=_GUIDE,
    level="observed",
    needs={"scan", "transforms_take_trees"},
    case=programs_in_ways(WHOLE_IN_A_SCAN, steps=FIXED, alias=False, most=2).filter(
        without_sharing
    ),
    parents=[fori_loop_repeats_the_program],
)
def a_scan_changes_what_it_takes_whole(lib, case):
    other = case.rebuild()
    for _ in range(2):
        case.program(case.module, case.x)
    other.run(other.program, other.module, other.x)
    same_graph(other.module, case.module)
