"""Mutants of key paths and exported programs."""

from __future__ import annotations

import itertools
import types

from selftest.mutant import mutant

_ID = "jax.carried."


@mutant("jax", kills=[_ID + "exported_programs_compute_the_same"])
def an_export_that_was_read_returns_its_argument(jax):
    """What `deserialize` gives returns its argument."""

    return {"export.deserialize": lambda data: types.SimpleNamespace(call=lambda tree: tree)}


@mutant("jax", kills=[_ID + "key_paths_find_the_stored_leaves"])
def key_paths_are_counted(jax):
    """`keystr` gives another text in each call."""
    numbers = itertools.count()
    return {"tree_util.keystr": lambda path, **options: f"[{next(numbers)}]"}
