"""Optax: gradients of some of the parameters."""

from __future__ import annotations

import jax

from treelaws.core.law import Topic
from treelaws.equality import same

from ._inputs import keeps_types, shapes, steps
from .transformation_state import update_keeps_the_types_of_the_state

law = Topic(
    "optax.transformation.filtered", "Optax: gradients of some parameters", family="transformation"
)


@law(
    "`update` accepts gradients that are `None` for some parameters together with all parameters",
    source="https://github.com/google-deepmind/optax/issues/1093",
    level="should",
    needs={"updates_like_gradients"},
    case=steps(filtered=True),
    parents=(update_keeps_the_types_of_the_state,),
)
def filtered_gradients_go_with_whole_parameters(lib, case):
    """`init` gets the filtered parameters, so that the state has the structure of the gradients."""

    def step(grads, params, whole):
        state = case.tx.init(params)
        return state, case.tx.update(grads, state, whole, **case.extra)

    state, (updates, after) = jax.eval_shape(step, case.grads, case.params, case.whole)
    keeps_types(state, after)
    same(shapes(updates), shapes(case.grads))
