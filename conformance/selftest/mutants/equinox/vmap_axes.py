"""Mutants of `filter_vmap` for axes that do not fit."""

from __future__ import annotations

from selftest.mutant import mutant
from selftest.mutants._axes import taking_any_axes


@mutant("equinox", kills=["equinox.vmap.axes_that_do_not_fit_are_refused"])
def filter_vmap_takes_any_axes(eqx):
    """`filter_vmap` gives its arguments back if an axis does not fit."""
    return {"filter_vmap": taking_any_axes(eqx.filter_vmap)}
