"""JAX: `ravel_pytree` of arrays of 32 and of 64 bits."""

from __future__ import annotations

import numpy as np

from hypothesis_pytrees import Kind
from hypothesis_pytrees.leaves.leaves import pool
from treelaws.compat.jax import double_precision
from treelaws.equality import same

from .ravel import _DOCS, _NUMBERS, _drawn, _ravel, law, unravel_undoes_ravel

_DOUBLES = tuple(
    Kind("leaf", text, (), ("leaf:double",))
    for text in (
        "jax.device_put(np.array([1.5, 1 / 3]))",
        "jax.device_put(np.array(2**40))",
        "np.array([[0.1, -2.0]])",
        "0.1",
    )
)
_MIXED = _drawn(pool(_DOUBLES) | _NUMBERS)


@law(
    "with 64-bit types on, `unravel(vector)` restores the dtypes and values of wide and narrow "
    "leaves",
    source=_DOCS,
    needs=_ravel,
    case=_MIXED,
    parents=[unravel_undoes_ravel],
)
def unravel_restores_wide_and_narrow_leaves(lib, case):
    with double_precision():
        case = case.rebuild()
        flat, unravel = lib.flatten_util.ravel_pytree(case.tree)
        arrays = lib.tree_util.tree_map(lib.numpy.asarray, case.tree)
        numbers = (lib.tree_util.tree_map(np.asarray, tree) for tree in (unravel(flat), arrays))
        same(*numbers)
