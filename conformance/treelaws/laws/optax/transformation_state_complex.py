"""Optax: states of each gradient transformation for complex numbers."""

from __future__ import annotations

from ._inputs import CODE, COMPLEX, keeps_types, states, steps
from .transformation_state import law, update_keeps_the_types_of_the_state

_TEST = f"{CODE}_src/alias_test.py#L358"


@law(
    "`update` keeps the shapes and dtypes of the state for complex gradients",
    source=_TEST,
    level="should",
    needs={"takes_complex_numbers"},
    case=steps(leaves=COMPLEX),
    parents=(update_keeps_the_types_of_the_state,),
)
def the_state_keeps_its_types_for_complex_numbers(lib, case):
    """Of the optimisers with which the tests of Optax minimise functions of complex numbers."""
    keeps_types(*states(case))
