"""Flax NNX: derivatives by the rules that `custom_vjp` takes."""

from __future__ import annotations

from hypothesis_pytrees.nnx.calls.custom_rules import (
    RULES_OF_TREES,
    RULES_OF_UPDATES,
    custom_rules,
)
from hypothesis_pytrees.nnx.module_programs import FIXED
from treelaws.equality import same

from ._inputs import without_sharing
from ._model import same_graph, variables_of
from .transforms import grad_is_that_of_jax, law, sorted_values, sum_of_squares, values_of

_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/transforms.html"


@law(
    "the derivative of a function of a module with a rule by `custom_vjp` is what the rule gives, "
    "and the module keeps its values",
    source=f"{_API}#flax.nnx.custom_vjp",
    needs={"grad", "custom_vjp"},
    case=custom_rules(steps=FIXED, most=1, layers=False, without=["nnx:rngs"]),
    weight=0.2,
    parents=[grad_is_that_of_jax],
)
def a_rule_gives_the_derivative(lib, case):
    """By the rule, it is four times each value; the true one is twice the value."""
    found = case.run(sum_of_squares, case.module, case.program, case.x)
    params = [one for _, one in variables_of(case.module) if isinstance(one, lib.Param)]
    wanted = [(value * 4).astype(value.dtype) for value in values_of(params)]
    given = values_of(one for _, one in variables_of(found))
    same(_without_signs_of_zero(given), _without_signs_of_zero(wanted))
    same_graph(case.module, case.rebuild().module)


@law(
    "the derivative by a rule is what the rule gives in each way that takes a module as a tree, or "
    "propagates no change of its graph",
    source=f"{_API}#flax.nnx.custom_vjp",
    needs={"transforms_take_trees", "custom_vjp"},
    case=custom_rules(
        RULES_OF_TREES, steps=FIXED, most=1, alias=False, layers=False, without=["nnx:rngs"]
    ).filter(without_sharing),
    weight=0.2,
    parents=[grad_is_that_of_jax],
)
def a_rule_gives_the_derivative_of_a_tree(lib, case):
    """By the rule, it is four times each value; the true one is twice the value."""
    found = case.run(sum_of_squares, case.module, case.program, case.x)
    params = [one for _, one in variables_of(case.module) if isinstance(one, lib.Param)]
    wanted = [(value * 4).astype(value.dtype) for value in values_of(params)]
    same(sorted_values(values_of(one for _, one in variables_of(found))), sorted_values(wanted))
    same_graph(case.module, case.rebuild().module)


@law(
    "a rule with the parameter `updates_g` gets the derivatives by the Variables that its function "
    "changes, and they are changed as without a derivative",
    source=f"{_API}#flax.nnx.custom_vjp",
    needs={"rules_get_updates", "custom_vjp"},
    case=custom_rules(
        RULES_OF_UPDATES, steps=FIXED[:2], alias=False, layers=False, without=["nnx:rngs"]
    ).filter(without_sharing),
    weight=0.2,
    parents=[grad_is_that_of_jax],
)
def a_rule_gets_the_derivatives_of_changes(lib, case):
    """The rule hands them on: the derivative by each Variable is that by its last value."""
    other = case.rebuild()
    found = case.run(sum_of_squares, case.module, case.program, case.x)
    other.program(other.module, other.x)
    params = [one for _, one in variables_of(other.module) if isinstance(one, lib.Param)]
    wanted = [value + value for value in values_of(params)]
    same(sorted_values(values_of(one for _, one in variables_of(found))), sorted_values(wanted))
    same_graph(case.module, other.module)


def _without_signs_of_zero(values):
    # A sum with zero is simplified by the compiler.
    return sorted_values([value + 0 for value in values])
