"""Optax: hyperparameters of factories of every form."""

from __future__ import annotations

from hypothesis_pytrees.optax.factories import factories

from ._inputs import DOCS, close
from .hyperparams import law

_PAGE = f"{DOCS}optimizer_schedules.html#optax.inject_hyperparams"


@law(
    "`inject_hyperparams(factory)` takes the arguments of `factory`, positional or by keyword, and "
    "hands each to the parameter that it belongs to",
    source=_PAGE,
    needs={"inject_hyperparams", "scale"},
    case=factories(),
)
def an_injected_factory_takes_the_arguments_of_the_factory(lib, case):
    plain = case.factory(*case.args, **case.named)
    tx = lib.inject_hyperparams(case.factory)(*case.args, **case.named)
    wanted, _ = plain.update(case.grads, plain.init(case.params), case.params)
    close(tx.update(case.grads, tx.init(case.params), case.params)[0], wanted)
