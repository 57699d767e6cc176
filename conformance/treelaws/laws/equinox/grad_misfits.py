"""Equinox: the errors of derivatives for a tree that does not fit."""

from __future__ import annotations

from hypothesis_pytrees.trees.calls.misfits import misfits
from hypothesis_pytrees.trees.calls.misfits_ways import EQUINOX, EQUINOX_RULE
from treelaws.equality import refuses

from .grad import law


@law(
    "a tangent, a cotangent, a result of a branch or of a rule of another structure than is due "
    "raises TypeError, ValueError or RuntimeError, and so does another shape or dtype, except "
    "for a rule",
    source="https://docs.kidger.site/equinox/api/transformations/",
    level="should",
    needs={"filter_jvp", "filter_vjp"},
    # None is a tangent of zeros, and no document speaks of the dtypes that a rule returns.
    case=misfits(EQUINOX, "nodes", "leaves", "leaf-for-node", "types")
    | misfits(EQUINOX_RULE, "nodes", "leaves"),
)
def what_does_not_fit_is_refused(lib, case):
    """As by `jax.jvp` and `jax.vjp`, which they are like; its own checks raise RuntimeError."""
    refuses((TypeError, ValueError, RuntimeError), case.attempt)
