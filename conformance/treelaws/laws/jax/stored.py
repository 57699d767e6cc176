"""JAX: compiled programs that are stored in a folder and read again."""

from __future__ import annotations

import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.trees.calls.stored_programs import stored_programs
from treelaws.core.law import Topic
from treelaws.equality import equal
from treelaws.laws import _fresh as fresh

law = Topic("jax.stored", "JAX: compiled programs in a folder", family="jax")


@law(
    "a program that is read from the folder of compiled programs computes what it did when it was "
    "compiled",
    source="https://docs.jax.dev/en/latest/persistent_compilation_cache.html",
    level="should",
    needs={"jit"},
    case=stored_programs(),
)
def programs_that_are_read_compute_the_same(lib, case):
    read = lambda leaf: [str(leaf.dtype), np.asarray(leaf, np.float32).tolist()]
    found = [jtu.tree_leaves(program(case.x)) for program in case.programs]
    wanted = [[read(leaf) for leaf in leaves] for leaves in found]
    equal(fresh.answer(case.text), [wanted, wanted])
