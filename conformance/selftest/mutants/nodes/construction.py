"""Mutants of the functions that make dataclasses nodes."""

from __future__ import annotations

import functools

from selftest.mutant import mutant


@mutant("chex", kills=["node.construction.chex_dataclasses_can_be_built"])
def chex_refuses_frozen_dataclasses(chex):
    """`chex.dataclass` refuses the option `frozen`."""
    make = chex.dataclass

    @functools.wraps(make)
    def dataclass(cls=None, **options):
        if options.get("frozen"):
            raise TypeError("the dataclass is frozen")
        return make(cls, **options)

    return {"dataclass": dataclass}
