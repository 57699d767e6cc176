"""Mutants of `filter_vmap` for axes that do not fit."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("equinox", kills=["equinox.vmap.axes_that_do_not_fit_are_refused"])
def filter_vmap_takes_any_axes(eqx):
    """`filter_vmap` gives its arguments back if an axis does not fit."""

    def filter_vmap(function, **options):
        mapped = eqx.filter_vmap(function, **options)

        def call(tree):
            try:
                return mapped(tree)
            except (ValueError, IndexError):
                return tree

        return call

    return {"filter_vmap": filter_vmap}
