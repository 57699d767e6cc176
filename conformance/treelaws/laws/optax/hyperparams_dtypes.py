"""Optax: hyperparameters beside parameters of every dtype, and without parameters."""

from __future__ import annotations

import numpy as np

from hypothesis_pytrees.optax.injections import hyperparameters_beside_dtypes
from treelaws.equality import same, true

from ._inputs import DOCS, close, types
from .hyperparams import law

_PAGE = f"{DOCS}optimizer_schedules.html#optax.inject_hyperparams"


@law(
    "`state.hyperparams` holds the learning rate that was given, apart from rounding, whatever "
    "dtypes the parameters have",
    source=_PAGE,
    level="should",
    needs={"inject_hyperparams", "sgd", "WrappedSchedule"},
    weight=0.2,
    case=hyperparameters_beside_dtypes(),
)
def hyperparameters_do_not_depend_on_the_parameters(lib, case):
    held = case.tx.init(case.params).hyperparams[case.name]
    true(bool(np.isclose(np.complex128(held), case.rate, rtol=1e-2)), held, f"{case.rate}")


@law(
    "an `update` of `inject_hyperparams` without parameters is the one with them, in which the "
    "updates and the state have the same types",
    # Its example calls `update` without them.
    source=_PAGE,
    level="should",
    needs={"inject_hyperparams", "sgd", "WrappedSchedule"},
    weight=0.1,
    case=hyperparameters_beside_dtypes(floating=True),
)
def an_update_without_parameters_is_the_one_with_them(lib, case):
    state = case.tx.init(case.params)
    whole, after = case.tx.update(case.grads, state, case.params)
    updates, other = case.tx.update(case.grads, state)
    same(types([updates, other]), types([whole, after]))
    close(updates, whole)
