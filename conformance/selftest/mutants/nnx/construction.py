"""Mutants of constructors."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("nnx", kills=["nnx.construction.documented_modules_can_be_built"])
def states_take_nothing(nnx):
    """`State` accepts no mapping."""

    def __init__(self, *args, **options):
        raise TypeError("State takes no arguments")

    return {"State": type("State", (nnx.State,), {"__init__": __init__})}


@mutant("nnx", kills=["nnx.construction.documented_names_exist"])
def find_duplicates_is_gone(nnx):
    """`find_duplicates` is `None`."""
    return {"find_duplicates": None}
