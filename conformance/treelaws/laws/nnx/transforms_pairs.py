"""Flax NNX: a program has one result and one effect on a module in a transform inside another."""

from __future__ import annotations

from hypothesis_pytrees.nnx.calls.program_ways import (
    IN_PAIRS,
    WITHOUT_RESULT,
    programs_in_two_ways,
)
from hypothesis_pytrees.nnx.module_programs import FIXED
from treelaws.equality import same

from ._model import same_graph
from .transforms import arrays, law
from .transforms_ways import each_loop_has_the_effect, each_way_runs_it_again

_GUIDE = "https://flax.readthedocs.io/en/latest/guides/transforms.html"


@law(
    "a program has the same result and the same effect on a module in a transform inside another "
    "as outside",
    source=f"{_GUIDE}#state-propagation",
    needs={"jit", "scan"},
    case=programs_in_two_ways(IN_PAIRS, IN_PAIRS, steps=FIXED, most=2),
    parents=[each_way_runs_it_again],
)
def each_pair_of_ways_runs_the_program(lib, case):
    other = case.rebuild()
    wanted = case.program(case.module, case.x)
    same(arrays(other.run(other.program, other.module, other.x)), arrays(wanted))
    same_graph(other.module, case.module)


@law(
    "a loop that runs a program once, in another transform, has its effect on a module",
    source=f"{_GUIDE}#state-propagation",
    needs={"jit", "scan"},
    case=programs_in_two_ways(WITHOUT_RESULT, (*IN_PAIRS, *WITHOUT_RESULT), steps=FIXED, most=2),
    parents=[each_loop_has_the_effect],
)
def each_loop_of_a_way_has_the_effect(lib, case):
    other = case.rebuild()
    case.program(case.module, case.x)
    other.run(other.program, other.module, other.x)
    same_graph(other.module, case.module)
