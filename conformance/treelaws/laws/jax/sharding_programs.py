"""JAX: programs over several devices that a bug may end."""

from __future__ import annotations

import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.trees.calls.device_programs import device_programs
from treelaws.equality import equal
from treelaws.laws import _fresh as fresh

from .sharding import law


@law(
    "a program over several devices takes arrays of any size, also without entries, and computes "
    "what one device does, in arrays of the same shapes",
    source="https://docs.jax.dev/en/latest/sharded-computation.html",
    level="should",
    needs={"jit", "sharding.NamedSharding"},
    case=device_programs(),
)
def programs_take_arrays_of_any_size(lib, case):
    negated = lib.jit(lambda tree: jtu.tree_map(lambda leaf: -leaf, tree))(case.tree)
    read = lambda leaf: [str(leaf.dtype), [*leaf.shape], np.asarray(leaf, np.float32).tolist()]
    equal(fresh.answer(case.text), [read(leaf) for leaf in jtu.tree_leaves(negated)])
