"""Calls of the classes and functions that a library documents, one of each kind."""

from __future__ import annotations

import functools
from typing import Any

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Kind, Recipe
from hypothesis_pytrees.core.availability import refusals, trial_child
from hypothesis_pytrees.tables import documented


def constructions(library: str) -> st.SearchStrategy[Recipe]:
    """Draw `build`, a function that builds what a library documents.

    Other laws leave out kinds that fail to build, so that one bug is one report: these are drawn
    half of the time.

    Args:
        library: one of `hypothesis_pytrees.tables.TABLES`.
    """
    return st.deferred(lambda: _constructions(library))


@functools.cache
def _constructions(library: str) -> st.SearchStrategy[Recipe]:
    kinds = documented(library)
    failing = tuple(refusals(kinds))
    every = st.sampled_from(kinds).map(_recipe)
    return st.one_of(every, st.sampled_from(failing).map(_recipe)) if failing else every


@functools.cache
def _recipe(kind: Kind) -> Recipe:
    text = kind.text([trial_child(kind)] * kind.arity)
    features = frozenset({kind.name, *kind.features})
    return Recipe(kind.definitions, (f"build = lambda: {text}",), "", features)


def places(tree: Any) -> list[tuple[str, str]]:
    """Return the key path of each leaf, and the name of its type."""
    flat = jtu.tree_flatten_with_path(tree)[0]
    return [(jtu.keystr(path), type(leaf).__name__) for path, leaf in flat]
