"""Optax: extra arguments of wrappers, and conditions that get them."""

from __future__ import annotations

import jax.numpy as jnp

from hypothesis_pytrees.optax.extra_arguments import noting_wrappers
from hypothesis_pytrees.optax.params import parameters
from treelaws.equality import equal, true

from ._inputs import DOCS
from .combine import law

_PAGE = f"{DOCS}transformations.html"
_FLOAT = jnp.dtype("float32")


@law(
    "a wrapper hands all extra arguments of `update` to the transformation that it wraps",
    source=f"{_PAGE}#optax.GradientTransformationExtraArgs",
    needs={"GradientTransformationExtraArgs", "chain", "conditionally_transform"},
    level="should",
    weight=0.3,
    case=noting_wrappers(),
)
def extra_arguments_reach_the_inner_transformation(lib, case):
    state = case.tx.init(case.params)
    for _ in range(2):
        _, state = case.tx.update(case.grads, state, case.params, **case.extra)
    true(bool(case.seen), case.seen, "the arguments of at least one call")
    for seen in case.seen:
        equal(seen, dict.fromkeys(case.extra, _FLOAT))


@law(
    "the condition of `conditionally_transform` and `conditionally_mask` gets the number of "
    "updates before, and with `forward_extra_args=True` the extra arguments",
    source=f"{_PAGE}#optax.conditionally_transform",
    needs={"conditionally_transform", "conditionally_mask", "identity"},
    weight=0.1,
    case=parameters(),
)
def a_condition_gets_the_step_and_the_extra_arguments(lib, case):
    for wrap in (lib.conditionally_transform, lib.conditionally_mask):
        for forwards in (False, True):
            seen = []
            tx = wrap(lib.identity(), _noting(seen), forward_extra_args=forwards)
            state = tx.init(case.params)
            for step in range(2):
                _, state = tx.update(case.grads, state, case.params, loss=step)
            equal(seen, [(step, {"loss": step} if forwards else {}) for step in range(2)])


def _noting(seen):
    """Return a condition that notes what it gets and always holds."""

    def condition(step, **extra):
        seen.append((int(step), extra))
        return jnp.array(True)

    return condition
