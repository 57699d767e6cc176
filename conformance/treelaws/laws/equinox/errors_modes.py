"""Equinox: checks that find nothing, with each value of `EQX_ON_ERROR`."""

from __future__ import annotations

import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.equinox.error_modes import error_modes
from treelaws.equality import equal
from treelaws.laws import _fresh as fresh

from .errors import checks_keep_leaves_of_any_kind, law


@law(
    "a program with `error_if` or `branched_error_if` that finds nothing computes, with "
    "`EQX_ON_ERROR` set to `raise`, `nan`, `breakpoint` or `off`, the same in each of two calls in "
    "a new process as in a process in which the variable is not set, in each transformation",
    # "`x`: will be returned unchanged." "Possible values are: `EQX_ON_ERROR=raise` [...]"
    source="https://docs.kidger.site/equinox/api/errors/#equinox.error_if",
    level="should",
    needs={"error_if", "branched_error_if"},
    case=error_modes(),
    parents=(checks_keep_leaves_of_any_kind,),
)
def each_value_of_the_variable_lets_a_sound_program_run(lib, case):
    read = lambda leaf: [str(leaf.dtype), np.asarray(leaf, np.float32).tolist()]
    computed = jtu.tree_leaves(case.run(lambda tree: case.checked(lib, tree)))
    equal(fresh.answer(case.text), [[read(leaf) for leaf in computed]] * 2)
