"""Optax: gradients of a part of the parameters."""

from __future__ import annotations

from treelaws.core.law import Topic
from treelaws.equality import same

from ._inputs import shapes, steps, traced, types
from .transformation_state import update_keeps_the_types_of_the_state

law = Topic(
    "optax.transformation.filtered", "Optax: gradients of some parameters", family="transformation"
)


@law(
    "gradients that are None for some parameters are taken with the whole parameters",
    source="https://github.com/google-deepmind/optax/issues/1093",
    level="should",
    needs={"updates_like_gradients"},
    weight=0.05,
    case=steps(filtered=True),
    parents=(update_keeps_the_types_of_the_state,),
)
def filtered_gradients_go_with_whole_parameters(lib, case):
    """`init` saw the filtered parameters, so that the state has the structure of the gradients."""
    step = traced(case, params=case.whole)
    same(types(step.after), types(step.state))
    same(shapes(step.updates), shapes(case.grads))
