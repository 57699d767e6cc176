"""Optax: updates of each gradient transformation for complex numbers."""

from __future__ import annotations

from ._inputs import CODE, COMPLEX, keeps_dtypes, steps
from .transformation_update import PLAIN, law, updates_have_the_dtypes_of_the_gradients

_TEST = f"{CODE}_src/alias_test.py#L358"


@law(
    "updates of complex gradients are complex",
    source=_TEST,
    level="should",
    needs={"updates", "takes_complex_numbers"},
    case=steps(leaves=COMPLEX, options=PLAIN),
    parents=(updates_have_the_dtypes_of_the_gradients,),
)
def updates_of_complex_numbers_are_complex(lib, case):
    """Of the optimisers with which the tests of Optax minimise functions of complex numbers."""
    keeps_dtypes(case)
