"""Mutants of constructors."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("equinox", kills=["equinox.construction.documented_modules_can_be_built"])
def state_takes_no_value(eqx):
    """`StateIndex` accepts no initial value."""

    def __init__(self, init):
        raise TypeError("StateIndex takes no value")

    return {"nn.StateIndex": type("StateIndex", (eqx.nn.StateIndex,), {"__init__": __init__})}


@mutant("equinox", kills=["equinox.construction.documented_names_exist"])
def tree_check_is_gone(eqx):
    """`tree_check` is `None`."""
    return {"tree_check": None}
