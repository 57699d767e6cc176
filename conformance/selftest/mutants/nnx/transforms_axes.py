"""Mutants of Flax NNX' `vmap` for axes that do not fit."""

from __future__ import annotations

from selftest.mutant import mutant
from selftest.mutants._axes import taking_any_axes


@mutant("nnx", kills=["nnx.transforms.axes_that_do_not_fit_are_refused"])
def vmap_takes_any_axes(nnx):
    """`vmap` gives its arguments back if an axis does not fit."""
    return {"vmap": taking_any_axes(nnx.vmap)}
