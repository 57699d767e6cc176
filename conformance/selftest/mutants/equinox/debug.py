"""Mutants of the tools to find errors."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("equinox", kills=["equinox.debug.store_dce_changes_nothing"])
def store_dce_doubles(eqx):
    """`store_dce` returns the sum of its argument with itself."""

    def store_dce(tree, name=None):
        return [leaf + leaf for leaf in eqx.debug.store_dce(tree, name)]

    return {"debug.store_dce": store_dce}


@mutant("equinox", kills=["equinox.debug.inspect_dce_shows_each_call"])
def store_dce_forgets_the_name(eqx):
    """`store_dce` stores under no name."""
    return {"debug.store_dce": lambda tree, name=None: eqx.debug.store_dce(tree)}
