"""Flax: bytes of training states and optimisers, which another release may have written."""

from __future__ import annotations

import jax
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.flax.training import train_states
from hypothesis_pytrees.leaves.numbered import NUMBERED
from hypothesis_pytrees.optax.carried import carried_states
from treelaws.core.law import Topic
from treelaws.equality import same
from treelaws.laws._carried import carried

from .serialization import bytes_restore_the_tree

law = Topic("flax.carried", "Flax: bytes of another release", family="flax")
_BYTES = (
    "https://flax-linen.readthedocs.io/en/latest/api_reference/flax.serialization.html"
    "#flax.serialization.from_bytes"
)
_NEW = "flax.training.train_state.TrainState.create(apply_fn=None, params={'w': params}, tx=tx)"


@st.composite
def _training(draw: st.DrawFn) -> Recipe:
    """Bind `state`, a TrainState or the state of an optimiser."""
    scope = Scope()
    scope.define(NUMBERED)
    if draw(st.booleans()):
        scope.include(draw(train_states(saved=True)))
        scope.statement("import flax.training.train_state")
        scope.bind("state", f"numbered_arrays({_NEW})")
    else:
        scope.include(draw(carried_states(saved=True)))
    return scope.recipe()


@law(
    "`from_bytes` puts the bytes of a training state, or of an optimiser, into a new one",
    source=_BYTES,
    level="should",
    needs={"serialization", "optax"},
    case=_training(),
    parents=[bytes_restore_the_tree],
)
def training_states_load_from_bytes(lib, case):
    """Flax loads NumPy arrays."""
    written = carried(lib.serialization.to_bytes(case.state))
    target = jtu.tree_map(lambda leaf: np.zeros_like(leaf), case.state)
    wanted = jtu.tree_map(lambda x: np.asarray(x) if isinstance(x, jax.Array) else x, case.state)
    same(lib.serialization.from_bytes(target, written), wanted)
