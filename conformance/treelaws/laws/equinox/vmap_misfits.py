"""Equinox: the errors of `filter_vmap` and `filter_pmap` for axes that an array lacks."""

from __future__ import annotations

from hypothesis_pytrees.trees.calls.axis_misfits import (
    EQUINOX_MAPPED,
    EQUINOX_RESULTS,
    axis_misfits,
)
from treelaws.equality import refuses

from .vmap import law


@law(
    "an axis that an array of the tree lacks, and an array of another size than is due, are "
    "refused by each transformation that maps over axes, with any of its options",
    source="https://docs.kidger.site/equinox/api/transformations/#equinox.filter_vmap",
    level="should",
    needs={"filter_vmap", "filter_pmap"},
    case=axis_misfits(EQUINOX_MAPPED, (), EQUINOX_RESULTS),
)
def axes_that_do_not_fit_are_refused(lib, case):
    """As by `jax.vmap` and `jax.pmap`, which they are like."""
    refuses((TypeError, ValueError, IndexError), case.attempt)
