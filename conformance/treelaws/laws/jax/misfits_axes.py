"""JAX: the errors for axes that an array of a tree lacks, and for sizes that it does not have."""

from __future__ import annotations

from hypothesis_pytrees.trees.calls.axis_misfits import MAPPED, RESULTS, ROWS, axis_misfits
from treelaws.equality import refuses

from .misfits import law

# No page documents the type of the error, which differs between the transformations.
_ERRORS = (TypeError, ValueError, IndexError)


@law(
    "an axis that an array of the tree lacks, and an array of another size than is due, are "
    "refused by each transformation that maps over axes, with any of its options",
    source="https://docs.jax.dev/en/latest/_autosummary/jax.vmap.html",
    level="should",
    case=axis_misfits(MAPPED, ROWS, RESULTS),
)
def axes_that_do_not_fit_are_refused(lib, case):
    refuses(_ERRORS, case.attempt)
