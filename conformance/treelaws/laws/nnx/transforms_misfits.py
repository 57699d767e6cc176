"""Flax NNX: the errors of transforms for a tree that does not fit."""

from __future__ import annotations

from hypothesis_pytrees.trees.calls.misfits import misfits
from hypothesis_pytrees.trees.calls.misfits_ways import NNX
from treelaws.equality import refuses

from .transforms import law


@law(
    "a carry, a result of a branch, a tangent or a cotangent of another structure, shape or dtype "
    "than is due raises TypeError or ValueError",
    source="https://flax.readthedocs.io/en/latest/guides/transforms.html",
    level="should",
    needs={"while_loop"},
    case=misfits(NNX, "nodes", "leaves", "leaf-for-node", "nones", "types"),
)
def what_does_not_fit_is_refused(lib, case):
    """As by the transforms of JAX, which they are to behave like for trees of arrays."""
    refuses((TypeError, ValueError), case.attempt)
