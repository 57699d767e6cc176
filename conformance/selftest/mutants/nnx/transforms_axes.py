"""Mutants of Flax NNX' `vmap` for axes that do not fit."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("nnx", kills=["nnx.transforms.axes_that_do_not_fit_are_refused"])
def vmap_takes_any_axes(nnx):
    """`vmap` gives its arguments back if an axis does not fit."""

    def vmap(function, **options):
        mapped = nnx.vmap(function, **options)

        def call(tree):
            try:
                return mapped(tree)
            except (ValueError, IndexError):
                return tree

        return call

    return {"vmap": vmap}
