"""Mutants of constructors."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("flax", kills=["flax.construction.documented_dataclasses_can_be_built"])
def frozen_dicts_take_nothing(flax):
    """`FrozenDict` accepts no entries."""

    def __init__(self, *args, **options):
        raise TypeError("FrozenDict takes no arguments")

    frozen = type("FrozenDict", (flax.core.FrozenDict,), {"__init__": __init__})
    return {"core.FrozenDict": frozen, "core.freeze": frozen}


@mutant("flax", kills=["flax.construction.documented_names_exist"])
def pretty_repr_is_gone(flax):
    """`pretty_repr` is `None`."""
    return {"core.pretty_repr": None}
