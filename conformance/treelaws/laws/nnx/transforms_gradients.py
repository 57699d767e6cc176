"""Flax NNX: each way to differentiate a loss gives the gradients of the Params."""

from __future__ import annotations

from hypothesis_pytrees.nnx.calls.gradient_ways import AS_A_TREE, gradients_in_ways
from hypothesis_pytrees.nnx.module_programs import FIXED, module_programs
from treelaws.equality import same

from ._inputs import without_sharing
from ._model import same_graph, variables_of
from .transforms import arrays, grad_is_that_of_jax, law, sorted_values, sum_of_squares, values_of

_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/transforms.html"


@law(
    "the gradients of a loss by the Params of a module are the same in each way to ask for them, "
    "and the module keeps its values",
    source=f"{_API}#flax.nnx.grad",
    needs={"grad"},
    case=gradients_in_ways(steps=FIXED, most=1),
    parents=[grad_is_that_of_jax],
)
def each_way_gives_the_gradients(lib, case):
    """The loss is the sum of squares, so the gradient of each Param is twice its value."""
    found = case.run(sum_of_squares, case.module)
    params = [one for _, one in variables_of(case.module) if isinstance(one, lib.Param)]
    wanted = [value + value for value in values_of(params)]
    same(sorted_values(values_of(one for _, one in variables_of(found))), sorted_values(wanted))
    same_graph(case.module, case.rebuild().module)


@law(
    "the gradients by the Params are the same in each way that takes a module as a tree, or "
    "propagates no change of its graph",
    source="https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html",
    needs={"transforms_take_trees", "vjp"},
    case=gradients_in_ways(AS_A_TREE, steps=FIXED, most=1, alias=False).filter(without_sharing),
    parents=[grad_is_that_of_jax],
)
def each_way_gives_the_gradients_of_a_tree(lib, case):
    """The loss is the sum of squares, so the gradient of each Param is twice its value."""
    found = case.run(sum_of_squares, case.module)
    params = [one for _, one in variables_of(case.module) if isinstance(one, lib.Param)]
    wanted = [value + value for value in values_of(params)]
    same(sorted_values(values_of(one for _, one in variables_of(found))), sorted_values(wanted))
    same_graph(case.module, case.rebuild().module)


@law(
    "`jvp` returns the value of a function of a module, its derivative along a tangent, and the "
    "effect of the function on the module",
    source=f"{_API}#flax.nnx.jvp",
    needs={"transforms_take_trees", "jvp"},
    # Keys and counts of streams have tangents of `float0`, says JAX, and not such as themselves.
    case=module_programs(steps=FIXED[:2], alias=False, layers=False, without=["nnx:rngs"]).filter(
        without_sharing
    ),
)
def jvp_gives_the_derivative(lib, case):
    """Along the module itself, the derivative of the sum of squares is twice the sum."""
    other, tangent = case.rebuild(), case.rebuild().module
    loss = lambda held: (sum_of_squares(held), case.program(held, case.x))
    wanted, aux = loss(other.module)
    for mode in ({"graph": False}, {"graph_updates": False}):
        held = case.rebuild().module
        found = lib.jvp(loss, (held,), (tangent,), has_aux=True, **mode)
        same(found, (wanted, wanted + wanted, arrays(aux)))
        same_graph(held, other.module)
