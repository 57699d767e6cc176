"""Optax: hyperparameters in the state, and copies of the parameters in the state."""

from __future__ import annotations

import jax
import jax.tree_util as jtu

from hypothesis_pytrees.optax.steps import copies, injected, looped
from treelaws.core.law import Topic
from treelaws.equality import equal, same

from ._inputs import DOCS, close, looped_over, types, zeros

law = Topic("optax.hyperparams", "Optax: hyperparameters and copies in the state", family="optax")
_PAGE = f"{DOCS}optimizer_schedules.html#optax.inject_hyperparams"


@law(
    "`inject_hyperparams` gives the updates of the transformation that it wraps",
    source=_PAGE,
    needs={"inject_hyperparams"},
    case=injected(),
)
def injected_transformations_give_the_same_updates(lib, case):
    plain = case.plain.update(case.grads, case.plain.init(case.params), case.params)
    close(case.tx.update(case.grads, case.tx.init(case.params), case.params)[0], plain[0])


@law(
    "`state.hyperparams` holds the values that the transformation was made with",
    source=_PAGE,
    needs={"inject_hyperparams", "sgd"},
    case=injected(),
)
def the_state_holds_the_given_values(lib, case):
    held = []
    for rate in (0.5, 0.25):
        state = lib.inject_hyperparams(lib.sgd)(rate).init(case.params)
        held.append(float(state.hyperparams["learning_rate"]))
    equal(held, [0.5, 0.25])


@law(
    "the next update uses a value that is put into `state.hyperparams`",
    source=_PAGE,
    needs={"inject_hyperparams", "sgd"},
    case=injected(),
)
def hyperparameters_can_be_changed(lib, case):
    tx = lib.inject_hyperparams(lib.sgd)(0.1)
    state = tx.init(case.params)
    state.hyperparams["learning_rate"] = 0.0
    updates, _ = tx.update(case.grads, state, case.params)
    same(jtu.tree_map(abs, updates), zeros(case.grads))


@law(
    "`update` without parameters keeps the types of the state",
    source=_PAGE,
    level="should",
    needs={"inject_hyperparams", "sgd"},
    case=injected(narrow=True),
)
def updates_need_no_parameters(lib, case):
    tx = lib.inject_hyperparams(lib.sgd)(0.1)
    state = tx.init(case.params)
    same(types(tx.update(case.grads, state)[1]), types(state))


@law(
    "`tree_map_params` with further trees maps each copy of the parameters, and nothing else",
    source=f"{DOCS}utilities.html#optax.tree_utils.tree_map_params",
    needs={"tree_utils.tree_map_params"},
    case=copies(),
)
def every_copy_of_the_parameters_is_mapped(lib, case):
    names = jtu.tree_map(lambda _: object(), case.params)
    mapped = lib.tree_utils.tree_map_params(
        case.tx,
        lambda leaf, name: name,
        case.tx.init(case.params),
        names,
        transform_non_params=lambda leaf: None,
    )
    same(jtu.tree_leaves(mapped), jtu.tree_leaves(names) * case.copies, identical=True)


@law(
    "a `scan` over updates gives the same result as a loop over them",
    source=f"{DOCS}transformations.html#optax.GradientTransformation",
    case=looped(),
)
def a_scan_is_a_loop(lib, case):
    def step(state, _):
        updates, state = case.tx.update(case.grads, state, case.params)
        return state, updates

    state, stacked = jax.lax.scan(step, case.tx.init(case.params), None, length=3)
    updates = jtu.tree_map(lambda leaf: leaf[-1], stacked)
    close((updates, state), looped_over(case, 3))
