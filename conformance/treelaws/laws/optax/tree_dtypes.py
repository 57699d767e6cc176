"""Optax: reductions of trees with leaves of every dtype."""

from __future__ import annotations

from typing import Any

import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.optax.trees import reductions_of_dtypes
from treelaws.equality import true

from .tree import _PAGE, law


@law(
    "`tree_sum`, `tree_norm`, `tree_max` and the other reductions are those of one vector of all "
    "numbers of the tree, also for integers of every width and for complex numbers",
    source=f"{_PAGE}#optax.tree_utils.tree_norm",
    level="should",
    case=reductions_of_dtypes(),
)
def reductions_of_every_dtype_are_those_of_all_numbers(lib, case):
    """Integers are added up and compared without rounding."""
    leaves = [np.ravel(np.asarray(leaf)) for leaf in jtu.tree_leaves(case.tree)]
    wide: Any = np.complex128 if any(leaf.dtype.kind == "c" for leaf in leaves) else np.float64
    numbers = np.concatenate([leaf.astype(wide) for leaf in leaves])
    got, wanted = np.asarray(case.reduce(case.tree)), case.of_vector(numbers)
    most = 0.0 if case.exact else 2e-2
    close = np.allclose(got.astype(wide), wanted, rtol=most, atol=most * abs(numbers).sum())
    true(bool(close), got, f"{wanted}")
