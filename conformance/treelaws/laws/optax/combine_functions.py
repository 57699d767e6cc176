"""Optax: transformations made of a function, and functions that `MultiSteps` asks."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.optax.chains import chains
from hypothesis_pytrees.optax.params import parameters
from treelaws.equality import same

from ._inputs import DOCS, are_zeros, close
from .combine import law
from .combine_steps import the_last_step_updates_with_the_mean

_WRAPPERS = f"{DOCS}optimizer_wrappers.html"
_UTILITIES = f"{DOCS}utilities.html"
_STEPS = 2


@law(
    "`stateless(f)` gives what `f` returns for the updates and the parameters, or for the updates "
    "and `None`",
    source=f"{_UTILITIES}#optax.stateless",
    needs={"stateless"},
    case=parameters(),
)
def a_stateless_transformation_is_its_function(lib, case):
    tx = lib.stateless(lambda updates, params: [updates, params])
    state = tx.init(case.params)
    same(tx.update(case.grads, state, case.params), ([case.grads, case.params], state))
    same(tx.update(case.grads, state), ([case.grads, None], state))


@law(
    "`stateless_with_tree_map(f)` maps `f` over the updates and the parameters, or over the "
    "updates and `None`",
    source=f"{_UTILITIES}#optax.stateless_with_tree_map",
    needs={"stateless_with_tree_map"},
    case=parameters(),
)
def a_stateless_map_is_a_map(lib, case):
    pair = lambda update, param: (update, param)
    tx = lib.stateless_with_tree_map(pair)
    state = tx.init(case.params)
    wanted = jtu.tree_map(pair, case.grads, case.params)
    same(tx.update(case.grads, state, case.params), (wanted, state))
    alone = jtu.tree_map(lambda update: (update, None), case.grads)
    same(tx.update(case.grads, state), (alone, state))


@law(
    "with `use_grad_mean=False`, `MultiSteps` gives the updates of the inner transformation for "
    "the sum of the gradients, each time anew",
    source=f"{_WRAPPERS}#optax.MultiSteps",
    needs={"MultiSteps", "chain"},
    case=chains(most=1),
    parents=[the_last_step_updates_with_the_mean],
)
def the_last_step_updates_with_the_sum(lib, case):
    inner = lib.chain(*case.links)
    tx = lib.MultiSteps(inner, _STEPS, use_grad_mean=False)
    state, wanted_state = tx.init(case.params), inner.init(case.params)
    total = jtu.tree_map(lambda leaf: leaf + leaf, case.grads)
    for _ in range(2):
        _, state = tx.update(case.grads, state, case.params)
        updates, state = tx.update(case.grads, state, case.params)
        wanted, wanted_state = inner.update(total, wanted_state, case.params)
        close(updates, wanted)
        are_zeros(state.acc_grads, case.grads)


@law(
    "`should_skip_update_fn` gets the updates, the number of updates before, and the parameters",
    source=f"{_WRAPPERS}#optax.MultiSteps",
    needs={"MultiSteps", "chain"},
    case=chains(most=1),
)
def the_skipping_function_gets_its_arguments(lib, case):
    seen = []
    skip = lambda *args: (seen.append(args), (jnp.array(False), ()))[1]
    tx = lib.MultiSteps(lib.chain(*case.links), 1, should_skip_update_fn=skip)
    _, state = tx.update(case.grads, tx.init(case.params), case.params)
    del seen[:]
    tx.update(case.grads, state, case.params)
    same(jax.tree.leaves(seen), jax.tree.leaves([case.grads, jnp.int32(1), case.params]))
