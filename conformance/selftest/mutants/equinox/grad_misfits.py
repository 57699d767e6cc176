"""Mutants of the errors of derivatives for trees that do not fit."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("equinox", kills=["equinox.grad.what_does_not_fit_is_refused"])
def a_tangent_that_does_not_fit_is_an_assertion(eqx):
    """`filter_jvp` asserts that tangents fit."""

    def filter_jvp(*args, **options):
        try:
            return eqx.filter_jvp(*args, **options)
        except (TypeError, ValueError) as raised:
            raise AssertionError(str(raised)) from None

    return {"filter_jvp": filter_jvp}
