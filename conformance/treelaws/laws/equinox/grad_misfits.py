"""Equinox: the errors of derivatives for a tree that does not fit."""

from __future__ import annotations

from hypothesis_pytrees.trees.calls.misfits import misfits
from hypothesis_pytrees.trees.calls.misfits_ways import EQUINOX, EQUINOX_RULE
from treelaws.equality import refuses

from .grad import law


@law(
    "a tangent, a cotangent or a result of a rule of another structure, shape or dtype than "
    "is due raises TypeError, ValueError or RuntimeError",
    source="https://docs.kidger.site/equinox/api/transformations/",
    level="should",
    needs={"filter_jvp", "filter_vjp"},
    case=misfits(EQUINOX, "nodes", "leaves", "leaf-for-node", "types")
    | misfits(EQUINOX_RULE, "nodes", "leaves"),
    weight=0.3,
)
def what_does_not_fit_is_refused(lib, case):
    """As by `jax.jvp` and `jax.vjp`, which they are like; its own checks raise RuntimeError."""
    refuses((TypeError, ValueError, RuntimeError), case.attempt)
