"""Optax: hyperparameters beside parameters of every dtype, and without parameters."""

from __future__ import annotations

import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.optax.injections import hyperparameters_beside_dtypes
from hypothesis_pytrees.optax.rules.finite import injected_halves
from treelaws.equality import equal, same, true

from ._inputs import CODE, DOCS, close, types
from .hyperparams import law

_PAGE = f"{DOCS}optimizer_schedules.html#optax.inject_hyperparams"


@law(
    "`state.hyperparams` holds the learning rate that was given, apart from rounding, whatever "
    "dtypes the parameters have",
    source=_PAGE,
    level="should",
    needs={"inject_hyperparams", "sgd", "WrappedSchedule"},
    case=hyperparameters_beside_dtypes(),
)
def hyperparameters_do_not_depend_on_the_parameters(lib, case):
    held = case.tx.init(case.params).hyperparams[case.name]
    true(bool(np.isclose(np.complex128(held), case.rate, rtol=1e-2)), held, f"{case.rate}")


@law(
    "without `hyperparam_dtype`, an array of floats that is not weakly typed keeps its dtype in "
    "`state.hyperparams`, whatever dtype the parameters have",
    # A test of the release that answers https://github.com/google-deepmind/optax/issues/1414
    source=f"{CODE}schedules/_inject_test.py#L251-L257",
    level="should",
    needs={"inject_hyperparams", "sgd"},
    case=hyperparameters_beside_dtypes(arrays=True),
)
def an_array_keeps_its_dtype(lib, case):
    state = case.tx.init(case.params)
    _, after = case.tx.update(case.grads, state, case.params)
    for one in (state, after):
        equal(str(one.hyperparams[case.name].dtype), str(case.rate.dtype))


@law(
    "an `update` of `inject_hyperparams` without parameters is the one with them, in which the "
    "updates and the state have the same types",
    # Its example calls `update` without them.
    source=_PAGE,
    level="should",
    needs={"inject_hyperparams", "sgd", "WrappedSchedule"},
    case=hyperparameters_beside_dtypes(floating=True),
)
def an_update_without_parameters_is_the_one_with_them(lib, case):
    state = case.tx.init(case.params)
    whole, after = case.tx.update(case.grads, state, case.params)
    updates, other = case.tx.update(case.grads, state)
    same(types([updates, other]), types([whole, after]))
    close(updates, whole)


@law(
    "`inject_hyperparams` of an optimiser gives about the updates of the optimiser for parameters "
    "of half precision too",
    source=_PAGE,
    level="should",
    needs={"inject_hyperparams", "inject_hyperparams(hyperparam_dtype)", "adam"},
    case=injected_halves(),
)
def hyperparameters_are_as_exact_as_without_a_state(lib, case):
    """A hyperparameter of bfloat16 may differ from the number by less than a hundredth."""
    found = []
    for tx in (case.tx, case.injected):
        state = tx.init(case.params)
        for _ in range(2):
            updates, state = tx.update(case.params, state, case.params)
        found.append([np.float32(leaf) for leaf in jtu.tree_leaves(updates)])
    for wanted, got in zip(*found, strict=True):
        true(bool(np.allclose(got, wanted, rtol=0.1)), got, f"{wanted}")
