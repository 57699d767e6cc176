"""Mutants of files of layers and models."""

from __future__ import annotations

import jax
import jax.tree_util as jtu
import numpy as np

from selftest.mutant import mutant

_ID = "equinox.carried."


@mutant(
    "equinox",
    kills=[_ID + "layers_load_from_a_file", _ID + "models_and_states_load_from_a_file"],
)
def two_arrays_of_one_shape_are_swapped(eqx):
    """The first two arrays of one shape and dtype that are read change places."""

    def tree_deserialise_leaves(file, like):
        leaves, treedef = jtu.tree_flatten(eqx.tree_deserialise_leaves(file, like))
        places: dict[object, int] = {}
        for place, leaf in enumerate(leaves):
            if isinstance(leaf, jax.Array) and leaf.size:
                other = places.setdefault((leaf.shape, leaf.dtype), place)
                if other != place:
                    leaves[place], leaves[other] = leaves[other], leaf
                    break
        return treedef.unflatten(leaves)

    return {"tree_deserialise_leaves": tree_deserialise_leaves}


@mutant("equinox", kills=[_ID + "layers_load_from_a_file"])
def files_hold_half_the_digits(eqx):
    """The numbers of a file are read as float16, and made float32 again."""

    def tree_deserialise_leaves(file, like):
        def cast(leaf):
            if not isinstance(leaf, jax.Array) or leaf.dtype != "float32":
                return leaf
            return jax.device_put(np.asarray(leaf, np.float16) % 16)

        return jtu.tree_map(cast, eqx.tree_deserialise_leaves(file, like))

    return {"tree_deserialise_leaves": tree_deserialise_leaves}


@mutant("equinox", kills=[_ID + "arrays_of_layers_are_restored_from_a_checkpoint"])
def abstract_arrays_are_half_as_wide(eqx):
    """`filter_eval_shape` gives float16 for float32, so that a checkpoint is cast to it."""

    def filter_eval_shape(function, *args, **named):
        def cast(leaf):
            return leaf.update(dtype="float16") if leaf.dtype == "float32" else leaf

        return jtu.tree_map(cast, eqx.filter_eval_shape(function, *args, **named))

    return {"filter_eval_shape": filter_eval_shape}
