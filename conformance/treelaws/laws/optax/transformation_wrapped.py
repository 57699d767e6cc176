"""Optax: a transformation inside another one."""

from __future__ import annotations

import jax.tree_util as jtu

from hypothesis_pytrees.optax.optimisations import WRAPPERS
from treelaws.core.law import Topic
from treelaws.equality import equal

from ._inputs import keeps_types, states, steps
from .transformation_state import (
    update_keeps_the_structure_of_the_state,
    update_keeps_the_types_of_the_state,
)
from .transformation_update import (
    accumulators_change_no_dtype_of_updates,
    updates_have_the_dtypes_of_the_gradients,
)

law = Topic(
    "optax.transformation.wrapped", "Optax: a transformation in another", family="transformation"
)


@law(
    "`update` keeps the shapes and dtypes of the state if another transformation wraps this one",
    source="https://optax.readthedocs.io/en/latest/api/combining_optimizers.html",
    level="should",
    needs={"updates_like_gradients"},
    case=steps(wrappers=WRAPPERS),
    parents=(
        updates_have_the_dtypes_of_the_gradients,
        accumulators_change_no_dtype_of_updates,
        update_keeps_the_types_of_the_state,
    ),
)
def a_wrapped_state_keeps_its_types(lib, case):
    keeps_types(*states(case))


@law(
    "`update` keeps the structure of the state if another transformation wraps this one",
    source="https://optax.readthedocs.io/en/latest/api/combining_optimizers.html",
    level="should",
    needs={"updates_like_gradients"},
    case=steps(wrappers=WRAPPERS),
    parents=(a_wrapped_state_keeps_its_types, update_keeps_the_structure_of_the_state),
)
def a_wrapped_state_keeps_its_structure(lib, case):
    before, after = states(case)
    equal(jtu.tree_structure(after), jtu.tree_structure(before))
