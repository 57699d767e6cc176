"""Flax NNX: checkpoints of modules, which another release may have written."""

from __future__ import annotations

import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.nnx.carried import carried_modules
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import same
from treelaws.laws import _orbax as orbax
from treelaws.laws._carried import carried

from ._model import same_graph

law = Topic("nnx.carried", "Flax NNX: checkpoints of another release", family="nnx")
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/checkpointing.html"


@law(
    "a checkpoint of a State, restored by its abstract State, is the State",
    source=f"{_GUIDE}#restore-checkpoints",
    level="should",
    needs={"state", "eval_shape", "checkpoints"},
    case=carried_modules(),
)
def a_checkpoint_of_a_state_is_restored(lib, case):
    """Random keys are left out: not every release of Orbax stores them."""
    same_graph(orbax.restored(carried(orbax.saved(case.state)), case.abstract), case.state)


@law(
    "a checkpoint of the pure dict of a State puts its values into an abstract State",
    source=f"{_GUIDE}#save-and-restore-as-pure-dictionaries",
    level="should",
    needs={"state", "eval_shape", "checkpoints"},
    case=carried_modules(),
)
def a_checkpoint_of_a_pure_dict_fills_a_state(lib, case):
    written = carried(orbax.saved(nnx_api.pure(lib, case.state)))
    nnx_api.replace_pure(lib, case.abstract, orbax.restored(written))
    filled, wanted = (jtu.tree_leaves(state) for state in (case.abstract, case.state))
    same(list(map(np.asarray, filled)), list(map(np.asarray, wanted)))
