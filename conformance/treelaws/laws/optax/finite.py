"""Optax: finite gradients, of every size, give finite updates and states."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.optax.rules.finite import finite_gradients
from treelaws.core.law import Topic
from treelaws.equality import true

from ._inputs import DOCS

law = Topic("optax.finite", "Optax: finite gradients and updates", family="optax")


@law(
    "with an `eps` that is documented to avoid a division by zero, gradients that are zero, tiny, "
    "plain or large give finite updates and states, also if the learning rate is zero at first",
    source=f"{DOCS}optimizers.html#optax.adam",
    level="should",
    needs={"adam"},
    case=finite_gradients(),
)
def documented_constants_keep_updates_finite(lib, case):
    state, params = case.tx.init(case.params), case.params
    for step, grads in enumerate(case.grads, 1):
        extra = case.extra(params, grads)
        updates, state = lib.with_extra_args_support(case.tx).update(grads, state, params, **extra)
        wrong = {name: _not_finite(tree) for name, tree in (("updates", updates), ("state", state))}
        true(not any(wrong.values()), wrong, f"finite numbers at step {step}")
        params = lib.apply_updates(params, updates)


def _not_finite(tree):
    """Return the key paths of floating leaves that hold an infinity or NaN."""
    pairs, _ = jtu.tree_flatten_with_path(tree)
    floats = [(path, leaf) for path, leaf in pairs if jnp.issubdtype(leaf.dtype, jnp.floating)]
    return [jtu.keystr(path) for path, leaf in floats if not _is_finite(leaf)]


def _is_finite(leaf):
    return bool(np.isfinite(np.asarray(leaf, np.float32)).all())
