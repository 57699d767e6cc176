"""Flax NNX: gradients by the rules that `custom_vjp` takes."""

from __future__ import annotations

import jax.numpy as jnp

from hypothesis_pytrees.nnx.calls.custom_rules import (
    RULES_OF_STATES,
    RULES_OF_TREES,
    RULES_OF_UPDATES,
    custom_rules,
)
from hypothesis_pytrees.nnx.module_programs import FIXED
from treelaws.equality import same

from ._inputs import without_sharing
from ._model import same_graph, variables_of
from .transforms import grad_is_that_of_jax, law, sorted_values, sum_of_squares, values_of

_PAGE = (
    "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/transforms.html"
    "#flax.nnx.custom_vjp"
)
# Streams hold keys and counts, which have no gradient.
_OF_NUMBERS = {"layers": False, "without": ["nnx:rngs"]}


@law(
    "the gradient of a function of a module with a `custom_vjp` rule is what the rule returns",
    source=_PAGE,
    needs={"grad", "custom_vjp"},
    case=custom_rules(steps=FIXED, most=1, **_OF_NUMBERS),
    parents=[grad_is_that_of_jax],
)
def a_rule_gives_the_gradient(lib, case):
    """By the rule, it is four times each value; the true one is twice the value."""
    found = case.run(sum_of_squares, case.module, case.program, case.x)
    params = [one for _, one in variables_of(case.module) if isinstance(one, lib.Param)]
    wanted = [(value * 4).astype(value.dtype) for value in values_of(params)]
    _same_numbers(_real(found), wanted)


@law(
    "with `graph=False` or `graph_updates=False`, the gradient of a function of a module with a "
    "`custom_vjp` rule is what the rule returns",
    source=_PAGE,
    needs={"transforms_take_trees", "custom_vjp"},
    case=custom_rules(RULES_OF_TREES, steps=FIXED, most=1, alias=False, **_OF_NUMBERS).filter(
        without_sharing
    ),
    parents=[grad_is_that_of_jax],
)
def a_rule_gives_the_gradient_of_a_tree(lib, case):
    """By the rule, it is four times each value; the true one is twice the value."""
    found = case.run(sum_of_squares, case.module, case.program, case.x)
    wanted = [(value * 4).astype(value.dtype) for value in _real(case.module)]
    _same_numbers(_real(found), wanted)


@law(
    "a rule gets the gradients by the state that its function leaves in a module",
    source=_PAGE,
    needs={"grad", "custom_vjp"},
    case=custom_rules(RULES_OF_STATES, steps=FIXED[:2], **_OF_NUMBERS),
    parents=[a_rule_gives_the_gradient],
)
def a_rule_gets_the_gradients_by_states(lib, case):
    """The rule hands them on: the gradient by each Param is that by its last value."""
    other = case.rebuild()
    found = case.run(sum_of_squares, case.module, case.program, case.x)
    other.program(other.module, other.x)
    params = [one for _, one in variables_of(other.module) if isinstance(one, lib.Param)]
    _same_numbers(_real(found), [value + value for value in values_of(params)])


@law(
    "with `graph=False` or `graph_updates=False`, a rule that declares `updates_g` gets the "
    "gradients by the Variables that its function changes",
    source=_PAGE,
    needs={"rules_get_updates", "custom_vjp"},
    case=custom_rules(RULES_OF_UPDATES, steps=FIXED[:2], alias=False, **_OF_NUMBERS).filter(
        without_sharing
    ),
    parents=[a_rule_gives_the_gradient_of_a_tree],
)
def a_rule_gets_the_gradients_by_changes(lib, case):
    """The rule hands them on: the gradient by each Variable is that by its last value."""
    other = case.rebuild()
    found = case.run(sum_of_squares, case.module, case.program, case.x)
    other.program(other.module, other.x)
    _same_numbers(_real(found), [value + value for value in _real(other.module)])


@law(
    "a function with a `custom_vjp` rule changes the Variables of a module under `grad` as it does "
    "without",
    source=_PAGE,
    needs={"rules_get_updates", "custom_vjp"},
    case=custom_rules(
        (*RULES_OF_STATES, *RULES_OF_UPDATES), steps=FIXED[:2], alias=False, **_OF_NUMBERS
    ).filter(without_sharing),
    parents=[a_rule_gets_the_gradients_by_changes],
)
def a_function_with_a_rule_has_its_effect(lib, case):
    other = case.rebuild()
    case.run(sum_of_squares, case.module, case.program, case.x)
    other.program(other.module, other.x)
    same_graph(case.module, other.module)


def _real(module):
    values = values_of(one for _, one in variables_of(module))
    return [value for value in values if jnp.issubdtype(value.dtype, jnp.floating)]


def _same_numbers(found, wanted):
    # The sign of a zero may change in a sum with zero.
    found, wanted = (sorted_values([value + 0 for value in values]) for values in (found, wanted))
    same(found, wanted)
