"""Mutants of `Module.sow`."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("nnx", kills=["nnx.sow.sow_does_nothing_without_capture"])
def sow_ignores_its_option(nnx):
    """`sow` stores a value also where it is to do nothing."""
    sow = nnx.Module.sow

    def sown(self, *args, capture_noop=None, **options):
        return sow(self, *args, **options)

    return {"Module.sow": sown}
