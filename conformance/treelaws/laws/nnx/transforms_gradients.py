"""Flax NNX: each way to differentiate a loss gives the gradients of the Params."""

from __future__ import annotations

from hypothesis_pytrees.nnx.gradient_ways import gradients_in_ways
from hypothesis_pytrees.nnx.module_programs import FIXED
from treelaws.equality import same

from ._model import same_graph, variables_of
from .transforms import grad_is_that_of_jax, law, sorted_values, sum_of_squares, values_of

_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/transforms.html"


@law(
    "the gradients of a loss by the Params of a module are the same in each way to ask for them, "
    "and the module keeps its values",
    source=f"{_API}#flax.nnx.grad",
    needs={"grad"},
    case=gradients_in_ways(steps=FIXED, most=1),
    weight=0.3,
    parents=[grad_is_that_of_jax],
)
def each_way_gives_the_gradients(lib, case):
    """The loss is the sum of squares, so the gradient of each Param is twice its value."""
    found = case.run(sum_of_squares, case.module)
    params = [one for _, one in variables_of(case.module) if isinstance(one, lib.Param)]
    wanted = [value + value for value in values_of(params)]
    same(sorted_values(values_of(one for _, one in variables_of(found))), sorted_values(wanted))
    same_graph(case.module, case.rebuild().module)
