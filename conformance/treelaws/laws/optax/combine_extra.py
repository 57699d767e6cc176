"""Optax: extra arguments of wrappers, and conditions that get them."""

from __future__ import annotations

import jax.numpy as jnp

from hypothesis_pytrees.optax.extra_arguments import noting_wrappers
from hypothesis_pytrees.optax.params import parameters
from treelaws.equality import equal, same, true

from ._inputs import DOCS
from .combine import law

_PAGE = f"{DOCS}transformations.html"
_FLOAT = jnp.dtype("float32")


@law(
    "a wrapper hands all extra arguments of `update` to the transformation that it wraps",
    source=f"{_PAGE}#optax.GradientTransformationExtraArgs",
    needs={"GradientTransformationExtraArgs", "chain", "conditionally_transform"},
    level="should",
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
    "`conditionally_transform` and `conditionally_mask` ask their condition with the number of "
    "updates before, and with the extra arguments if `forward_extra_args=True`",
    source=f"{_PAGE}#optax.conditionally_transform",
    needs={"conditionally_transform", "conditionally_mask", "scale"},
    case=parameters(),
)
def a_condition_gets_the_step_and_the_extra_arguments(lib, case):
    wanted, _ = lib.scale(-2.0).update(case.grads, lib.scale(-2.0).init(case.params))
    for wrap in (lib.conditionally_transform, lib.conditionally_mask):
        for forwards in (False, True):
            tx = wrap(lib.scale(-2.0), _second(forwards), forward_extra_args=forwards)
            state, off = tx.init(case.params), wrap(lib.scale(-2.0), lambda step: jnp.array(False))
            rest, _ = off.update(case.grads, off.init(case.params), case.params)
            for right in (rest, wanted, rest):
                got, state = tx.update(case.grads, state, case.params, loss=jnp.float32(2.0))
                same(got, right)


def _second(forwards):
    """Return a condition that holds for the second update with the right extra arguments."""

    def condition(step, **extra):
        given = extra.get("loss", 0.0) == (2.0 if forwards else 0.0)
        return jnp.logical_and(step == 1, given)

    return condition
