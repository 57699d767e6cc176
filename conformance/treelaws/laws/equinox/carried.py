"""Equinox: files of layers and of models, which another release may have written."""

from __future__ import annotations

import io
from typing import Any

import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.equinox.carried import carried_layers, carried_models
from treelaws.core.law import Topic
from treelaws.equality import same
from treelaws.laws import _orbax as orbax
from treelaws.laws._carried import carried

from ._serialise_inputs import DOCS, SAVE_AND_LOAD, is_saved, strong
from .serialise import loading_undoes_saving

law = Topic("equinox.carried", "Equinox: files of another release", family="equinox")
_LOAD = f"{DOCS}#equinox.tree_deserialise_leaves"


@law(
    "a file of layers loads into the layers that the same calls make, and into abstract ones",
    source=_LOAD,
    needs=SAVE_AND_LOAD,
    case=carried_layers(),
    parents=[loading_undoes_saving],
)
def layers_load_from_a_file(lib, case):
    file = io.BytesIO()
    lib.tree_serialise_leaves(file, case.tree)
    read = io.BytesIO(carried(file.getvalue()))
    loaded = lib.tree_deserialise_leaves(read, case.like)
    same(strong(loaded), strong(_filled(case.like, case.tree)))


@law(
    "a file of a model and its state loads into those that the same calls make",
    source=_LOAD,
    level="should",
    needs=SAVE_AND_LOAD,
    case=carried_models(),
    parents=[loading_undoes_saving],
)
def models_and_states_load_from_a_file(lib, case):
    file = io.BytesIO()
    lib.tree_serialise_leaves(file, case.tree)
    read = io.BytesIO(carried(file.getvalue()))
    loaded = lib.tree_deserialise_leaves(read, case.like)
    same(strong(loaded), strong(_filled(case.like, case.tree)))


@law(
    "a checkpoint of the arrays of layers, restored by abstract arrays, holds these arrays",
    source="https://orbax.readthedocs.io/en/latest/guides/checkpoint/orbax_checkpoint_101.html",
    level="should",
    needs={"filter", "is_array", "filter_eval_shape", "checkpoints"},
    case=carried_layers(),
)
def arrays_of_layers_are_restored_from_a_checkpoint(lib, case):
    """Orbax refuses arrays without entries, and trees without arrays. Weak types are ignored."""
    filled = lambda leaf: lib.is_array(leaf) and leaf.size > 0
    arrays = lib.filter([case.tree, jnp.float32(1)], filled)
    written = carried(orbax.saved(arrays))
    loaded = orbax.restored(written, lib.filter_eval_shape(lambda: arrays))
    same(strong(loaded), strong(arrays))


def _filled(like: Any, tree: Any) -> Any:
    """Return a tree with the structure of `like`, its functions, and the numbers of `tree`."""
    pairs = zip(jtu.tree_leaves(like), jtu.tree_leaves(tree), strict=True)
    leaves = [leaf if is_saved(leaf) else other for other, leaf in pairs]
    return jtu.tree_structure(like).unflatten(leaves)
