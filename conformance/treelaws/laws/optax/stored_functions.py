"""Optax: line searches for losses of every form, of further arguments and of every dtype."""

from __future__ import annotations

import jax

from hypothesis_pytrees.optax.rules.searches import losses_of_data, losses_of_dtypes
from treelaws.equality import same

from ._inputs import DOCS, close, dtypes, shapes
from .stored import law

_SEARCH = f"{DOCS}transformations.html#optax.scale_by_backtracking_linesearch"
_PAGE = f"{DOCS}utilities.html#optax.value_and_grad_from_state"


@law(
    "a line search gives a loss of any form the further keyword arguments of `update`, and gives "
    "the updates that it gives for a loss that holds them",
    # Of partial, compiled and other objects that are called, the page does not speak.
    source=_SEARCH,
    level="should",
    needs={"scale_by_backtracking_linesearch", "lbfgs"},
    case=losses_of_data(),
)
def further_arguments_reach_the_loss(lib, case):
    whole = lambda params: case.loss(params, **case.data)
    value, grad = jax.value_and_grad(whole)(case.params)
    told = {"value": value, "grad": grad}
    state = case.tx.init(case.params)
    with jax.disable_jit():
        given = (grad, state, case.params)
        got, _ = case.tx.update(*given, **told, value_fn=case.loss, **case.data)
        wanted, _ = case.tx.update(*given, **told, value_fn=whole)
    close(got, wanted)


@law(
    "`value_and_grad_from_state` and the solvers whose state it reads take parameters of every "
    "floating or complex dtype, with a loss of their dtype and of float32",
    source=_PAGE,
    level="should",
    needs={"value_and_grad_from_state", "lbfgs", "searches_of_any_dtype"},
    case=losses_of_dtypes(),
)
def every_dtype_can_be_stored(lib, case):
    value, grad = jax.eval_shape(lambda params: _stored(lib, case, params), case.params)
    same((value.shape, shapes(grad), dtypes(grad)), ((), shapes(case.params), dtypes(case.params)))


def _stored(lib, case, params):
    """Return the value and the gradient that the state holds after the first of two steps."""
    state, fetch = case.tx.init(params), lib.value_and_grad_from_state(case.loss)
    for _ in range(2):
        value, grad = fetch(params, state=state)
        told = {"value": value, "grad": grad, "value_fn": case.loss}
        _, state = case.tx.update(grad, state, params, **told)
    return value, grad
