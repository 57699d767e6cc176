"""Optax: wrappers of `optax.contrib` whose steps other steps explain."""

from __future__ import annotations

import jax.tree_util as jtu

from hypothesis_pytrees.optax.rules.contributed import adversarial_periods, schedule_free_steps

from ._formulas import arrays_of, near
from ._inputs import DOCS
from .formulas import law

_CONTRIB = f"{DOCS}contrib.html"


@law(
    "an update of `sam` with `opaque_mode=True` takes the steps of a whole period of updates "
    "without it",
    source=f"{_CONTRIB}#optax.contrib.sam",
    level="should",
    needs={"contrib.sam"},
    case=adversarial_periods(),
)
def an_opaque_update_is_a_period_of_updates(lib, case):
    opaque, plain = (_sam(lib, case, opaque_mode=mode) for mode in (True, False))
    one, other, state, held = case.params, case.params, *map(_init(case), (opaque, plain))
    for _ in range(2):
        grads, later = case.gradient(one, 0), lambda params, step: case.gradient(params, step + 1)
        updates, state = opaque.update(grads, state, one, grad_fn=later)
        one = lib.apply_updates(one, updates)
        for step in range(case.period):
            updates, held = plain.update(case.gradient(other, step), held, other)
            other = lib.apply_updates(other, updates)
    near(one, arrays_of(other), case.params)


@law(
    "`schedule_free_eval_params` gives the average of the parameters of the inner optimiser over "
    "all steps, for a learning rate that does not change",
    source=f"{_CONTRIB}#optax.contrib.schedule_free",
    needs={"contrib.schedule_free", "contrib.schedule_free_eval_params"},
    case=schedule_free_steps(),
)
def parameters_for_evaluation_are_an_average(lib, case):
    params, state = case.params, case.tx.init(case.params)
    inner, held, seen = case.params, case.base.init(case.params), []
    for grads in case.grads:
        updates, held = case.base.update(grads, held, params)
        inner = lib.apply_updates(inner, updates)
        seen.append(inner)
        updates, state = case.tx.update(grads, state, params)
        params = lib.apply_updates(params, updates)
        mean = jtu.tree_map(lambda *leaves: sum(leaves) / len(leaves), *seen)
        near(lib.contrib.schedule_free_eval_params(state, params), arrays_of(mean), params)


def _sam(lib, case, **options):
    """Return the transformation with the optimisers and the options of a case."""
    named = {"sync_period": case.period, "reset_state": case.reset, **options}
    return lib.contrib.sam(case.outer, case.adversary, **named)


def _init(case):
    return lambda tx: tx.init(case.params)
