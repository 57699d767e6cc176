"""Equinox: saving and loading leaves when JAX has 64-bit types."""

from __future__ import annotations

from hypothesis_pytrees import Kind, trees
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.leaves.leaves import pool
from treelaws.compat.jax import double_precision
from treelaws.equality import same

from ._serialise_inputs import DOCS, NUMBERS, SAVE_AND_LOAD, file_or_none, strong
from .serialise import law, loading_undoes_saving

_DOUBLES = tuple(
    Kind("leaf", text, (), ("leaf:double",))
    for text in (
        *("jax.device_put(np.array([1 / 3, 2.5]))", "jax.device_put(np.array(2**40))"),
        *("np.array([1 / 3])", "np.float64(1 / 3)", "1 / 3", "2**40"),
    )
)


@law(
    "with 64-bit types on, loading a saved tree returns that tree",
    source=f"{DOCS}#equinox.tree_deserialise_leaves",
    needs=SAVE_AND_LOAD,
    case=cases(tree=trees(pool(_DOUBLES) | pool(NUMBERS))),
    parents=(loading_undoes_saving,),
)
def loading_undoes_saving_in_double_precision(lib, case):
    with double_precision():
        case = case.rebuild()
        file = file_or_none(lambda file: lib.tree_serialise_leaves(file, case.tree))
        same(strong(lib.tree_deserialise_leaves(file, case.tree)), strong(case.tree))
