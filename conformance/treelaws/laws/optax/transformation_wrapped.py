"""Optax: a transformation inside of another."""

from __future__ import annotations

from hypothesis_pytrees.optax.optimisations import WRAPPERS
from treelaws.core.law import Topic
from treelaws.equality import same

from ._inputs import steps, traced, types
from .transformation_state import update_keeps_the_types_of_the_state
from .transformation_update import updates_have_the_dtypes_of_the_gradients

law = Topic(
    "optax.transformation.wrapped", "Optax: a transformation in another", family="transformation"
)


@law(
    "what wraps any transformation takes this one, and keeps the types of its state",
    source="https://optax.readthedocs.io/en/latest/api/combining_optimizers.html",
    level="should",
    needs={"updates_like_gradients"},
    weight=0.05,
    case=steps(wrappers=WRAPPERS),
    parents=(updates_have_the_dtypes_of_the_gradients, update_keeps_the_types_of_the_state),
)
def a_wrapped_state_keeps_its_types(lib, case):
    step = traced(case)
    same(types(step.after), types(step.state))
