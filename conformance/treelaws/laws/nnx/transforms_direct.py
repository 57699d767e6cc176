"""Flax NNX: a transform takes the function that another transform returns."""

from __future__ import annotations

from hypothesis_pytrees.nnx.calls.program_ways import programs_in_ways
from hypothesis_pytrees.nnx.calls.transforms_in_a_row import IN_A_ROW
from hypothesis_pytrees.nnx.module_programs import FIXED
from treelaws.equality import same

from ._model import same_graph
from .transforms import arrays, law
from .transforms_ways import each_way_runs_it_again

_GUIDE = "https://flax.readthedocs.io/en/latest/guides/transforms.html"


@law(
    "a function that a transform returns has the same result and effect when another transform "
    "takes it, as it is",
    source=_GUIDE,
    level="should",
    needs={"jit", "remat", "custom_vjp"},
    case=programs_in_ways(IN_A_ROW, steps=FIXED, most=2),
    parents=[each_way_runs_it_again],
)
def transforms_take_transformed_functions(lib, case):
    other = case.rebuild()
    wanted = case.program(case.module, case.x)
    same(arrays(other.run(other.program, other.module, other.x)), arrays(wanted))
    same_graph(other.module, case.module)
