"""Registers strategies of PyTree types for `hypothesis.strategies.from_type`."""

from __future__ import annotations

import importlib

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import absence
from hypothesis_pytrees.core.recipe import Recipe
from hypothesis_pytrees.trees.by_root import modules


def register_types() -> None:
    """Let `st.from_type(eqx.Module)` draw generated classes, if equinox is installed."""
    if not absence("equinox"):
        equinox = importlib.import_module("equinox")
        st.register_type_strategy(equinox.Module, modules().map(Recipe.build))
