"""Optax: gradients of single elements, which are aggregated."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.optax.rules.aggregates import aggregates
from treelaws.core.law import Topic

from ._inputs import CODE, close

law = Topic("optax.aggregating", "Optax: gradients of single elements", family="optax")
_MODULE = f"{CODE}experimental/_aggregating.py"


@law(
    "`process` gives the updates of its last transformation for the mean of the gradients that the "
    "first one gives, with the extra arguments of `update` for each that takes them",
    source=f"{_MODULE}#L80-L104",
    level="should",
    needs={"experimental.aggregating.process", "GradientTransformationExtraArgs"},
    case=aggregates(),
)
def the_mean_of_single_gradients_is_transformed(lib, case):
    process = lib.experimental.aggregating.process
    tx = process(case.before, case.aggregator, case.after)
    state = tx.init(case.params)
    for grads, wanted in zip(case.grads, _expected(lib, case), strict=True):
        with jax.disable_jit():
            updates, state = tx.update(grads, state, case.params, **case.extra)
        close(updates, wanted)


def _expected(lib, case):
    """Yield the updates of each step."""
    before, after = map(lib.with_extra_args_support, (case.before, case.after))
    states, collected = [before.init(case.params), after.init(case.params)], []
    for grads in case.grads:
        each, states[0] = before.update(grads, states[0], case.params, **case.extra)
        collected.append(jtu.tree_map(case.mean, each))
        if len(collected) < case.length:
            yield jtu.tree_map(jnp.zeros_like, case.params)
            continue
        mean = jtu.tree_map(lambda *leaves: sum(leaves) / case.length, *collected)
        with jax.disable_jit():
            updates, states[1] = after.update(mean, states[1], case.params, **case.extra)
        collected = []
        yield updates
