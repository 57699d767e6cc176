"""Mutants of how often transforms trace."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("nnx", kills=["nnx.transforms.a_second_call_traces_nothing"])
def jit_compiles_in_each_call(nnx):
    """`jit` makes a new compiled function in each call."""

    def jit(function, **options):
        return lambda *args: nnx.jit(lambda *given: function(*given), **options)(*args)

    return {"jit": jit}
