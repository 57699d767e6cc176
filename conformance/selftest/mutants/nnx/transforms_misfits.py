"""Mutants of the errors of transforms for trees that do not fit."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("nnx", kills=["nnx.transforms.what_does_not_fit_is_refused"])
def a_branch_that_does_not_fit_is_an_assertion(nnx):
    """`cond` asserts that the results of its branches fit."""

    def cond(*args, **options):
        try:
            return nnx.cond(*args, **options)
        except (TypeError, ValueError) as raised:
            raise AssertionError(str(raised)) from None

    return {"cond": cond}
