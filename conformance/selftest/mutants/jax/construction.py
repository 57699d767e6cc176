"""Mutants of the functions that register classes."""

from __future__ import annotations

import functools

from selftest.mutant import mutant


@mutant("jax", kills=["jax.construction.documented_nodes_can_be_built"])
def frozen_dataclasses_are_refused(jax):
    """`register_dataclass` refuses a frozen dataclass."""
    register = jax.tree_util.register_dataclass

    @functools.wraps(register)
    def patched(cls, *args, **options):
        if getattr(cls, "__dataclass_params__", None) and vars(cls)["__dataclass_params__"].frozen:
            raise TypeError("the dataclass is frozen")
        return register(cls, *args, **options)

    return {"tree_util.register_dataclass": patched}


@mutant("jax", kills=["jax.construction.documented_names_exist"])
def tree_broadcast_is_gone(jax):
    """`tree_broadcast` is `None`."""
    return {"tree_util.tree_broadcast": None}
