"""Optax: a transformation inside another one."""

from __future__ import annotations

import jax

from hypothesis_pytrees.optax.optimisations import WRAPPERS
from treelaws.core.law import Topic
from treelaws.equality import same

from ._inputs import steps, types
from .transformation_state import update_keeps_the_types_of_the_state
from .transformation_update import updates_have_the_dtypes_of_the_gradients

law = Topic(
    "optax.transformation.wrapped", "Optax: a transformation in another", family="transformation"
)


@law(
    "`update` keeps the types of the state if another transformation wraps this one",
    source="https://optax.readthedocs.io/en/latest/api/combining_optimizers.html",
    level="should",
    needs={"updates_like_gradients"},
    weight=0.05,
    case=steps(wrappers=WRAPPERS),
    parents=(updates_have_the_dtypes_of_the_gradients, update_keeps_the_types_of_the_state),
)
def a_wrapped_state_keeps_its_types(lib, case):
    def step(grads, params):
        state = case.tx.init(params)
        return state, case.tx.update(grads, state, params, **case.extra)

    state, (_, after) = jax.eval_shape(step, case.grads, case.params)
    same(types(after), types(state))
