"""Flax NNX: the errors of transforms for axes that an array lacks, and sizes that it has not."""

from __future__ import annotations

from hypothesis_pytrees.trees.calls.axis_misfits import (
    NNX_MAPPED,
    NNX_RESULTS,
    NNX_ROWS,
    axis_misfits,
)
from treelaws.equality import refuses

from .transforms import law


@law(
    "an axis that an array of the tree lacks, and an array of another size than is due, are "
    "refused by each transform that maps over axes, with any of its options",
    source="https://flax.readthedocs.io/en/latest/guides/transforms.html",
    level="should",
    needs={"vmap", "scan"},
    case=axis_misfits(NNX_MAPPED, NNX_ROWS, NNX_RESULTS),
)
def axes_that_do_not_fit_are_refused(lib, case):
    """As by the transforms of JAX, which they are to behave like for trees of arrays."""
    refuses((TypeError, ValueError, IndexError), case.attempt)
