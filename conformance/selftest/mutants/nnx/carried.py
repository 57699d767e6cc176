"""Mutants of checkpoints of modules."""

from __future__ import annotations

import jax.tree_util as jtu
import numpy as np

from selftest.mutant import mutant

_ID = "nnx.carried."


@mutant("nnx", kills=[_ID + "a_checkpoint_of_a_pure_dict_fills_a_state"])
def a_pure_dict_holds_integers(nnx):
    """`to_pure_dict` gives the first array as integers of 8 bits."""

    def to_pure_dict(state):
        leaves, treedef = jtu.tree_flatten(nnx.to_pure_dict(state))
        return treedef.unflatten([np.asarray(leaves[0]).astype(np.int8), *leaves[1:]])

    return {"to_pure_dict": to_pure_dict}


@mutant("nnx", kills=[_ID + "a_checkpoint_of_a_state_is_restored"])
def an_abstract_state_has_other_dtypes(nnx):
    """`nnx.eval_shape` gives float16 for float32, so that a checkpoint is cast to it."""

    def eval_shape(function, *args, **named):
        def cast(leaf):
            return leaf.update(dtype="float16") if leaf.dtype == "float32" else leaf

        return jtu.tree_map(cast, nnx.eval_shape(function, *args, **named))

    return {"eval_shape": eval_shape}
