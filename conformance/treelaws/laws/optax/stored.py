"""Optax: values and gradients that a line search stores in its state."""

from __future__ import annotations

import jax
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.optax.stored_gradients import limited, solved, stored
from treelaws.core.law import Topic
from treelaws.equality import refuses, true

from ._inputs import DOCS, close

law = Topic("optax.stored", "Optax: values and gradients in a state", family="optax")
_PAGE = f"{DOCS}utilities.html#optax.value_and_grad_from_state"


@law(
    "in each step of a solver with a line search, `value_and_grad_from_state` gives the value and "
    "the gradient of `jax.value_and_grad`",
    source=_PAGE,
    needs={"value_and_grad_from_state", "lbfgs"},
    case=solved(),
)
def the_state_gives_the_value_and_gradient(lib, case):
    fetch, params = lib.value_and_grad_from_state(case.fun), case.params
    state = case.tx.init(params)
    for _ in range(3):
        value, grad = fetch(params, *case.args, state=state, **case.kwargs)
        close((value, grad), jax.value_and_grad(case.fun)(params, *case.args, **case.kwargs))
        loss = lambda tree: case.fun(tree, *case.args, **case.kwargs)
        told = {"value": value, "grad": grad, "value_fn": loss}
        updates, state = case.tx.update(grad, state, params, **told)
        params = jtu.tree_map(lambda leaf, update: leaf + update, params, updates)


@law(
    "`value_and_grad_from_state` gives the value and the gradient of the state if the value is "
    "finite, and otherwise those of `jax.value_and_grad`",
    source=_PAGE,
    needs={"value_and_grad_from_state"},
    case=stored(),
)
def a_finite_value_is_taken_from_the_state(lib, case):
    fetch = lib.value_and_grad_from_state(case.fun)
    got = fetch(case.params, *case.args, state=case.state, **case.kwargs)
    computed = jax.value_and_grad(case.fun)(case.params, *case.args, **case.kwargs)
    finite = bool(np.isfinite(case.value))
    close(got, (case.value, case.grad) if finite else computed)


@law(
    "`value_and_grad_from_state` raises an error if the state lacks a value or a gradient, or "
    "holds several",
    source=_PAGE,
    needs={"value_and_grad_from_state"},
    case=stored(unclear=True),
)
def an_unclear_state_is_refused(lib, case):
    fetch = lib.value_and_grad_from_state(case.fun)
    call = lambda: fetch(case.params, *case.args, state=case.state, **case.kwargs)
    refuses((ValueError, KeyError), call)


@law(
    "`max_learning_rate` of `scale_by_zoom_linesearch` is the largest learning rate that it uses",
    source=f"{DOCS}transformations.html#optax.scale_by_zoom_linesearch",
    needs={"scale_by_zoom_linesearch"},
    case=limited(),
)
def a_learning_rate_stays_below_its_maximum(lib, case):
    params, state = case.params, case.tx.init(case.params)
    for _ in range(2):
        value, grad = jax.value_and_grad(case.fun)(params)
        told = {"value": value, "grad": grad, "value_fn": case.fun}
        updates, state = case.tx.update(grad, state, params, **told)
        scaled = jtu.tree_map(lambda update, leaf: -update / leaf, updates, grad)
        rates = np.concatenate([np.ravel(leaf) for leaf in jtu.tree_leaves(scaled)])
        true(not (rates > case.limit * 1.001).any(), rates, f"at most {case.limit}")
        params = jtu.tree_map(lambda leaf, update: leaf + update, params, updates)
