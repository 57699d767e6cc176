"""Trees that mix nodes of JAX, Equinox, Flax and Optax, as one subject."""

from __future__ import annotations

import importlib
from typing import Any

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, trees
from hypothesis_pytrees.core.availability import absence
from hypothesis_pytrees.cross_library import MIXED_KINDS, MIXED_ROOTS
from treelaws.compat import claims
from treelaws.core.subject import Subject, add


def _refusal() -> str:
    return absence("equinox") or absence("optax")


def _instances(**options: Any) -> st.SearchStrategy[Recipe]:
    """Draw a tree; without Variables if they are not nodes in the installed release."""
    variables = "variables_are_nodes" in claims.of("nnx")
    kinds, roots = (
        tuple(kind for kind in table if variables or kind.name != "nnx.Variable")
        for table in (MIXED_KINDS, MIXED_ROOTS)
    )
    return trees(**{"roots": roots, "kinds": kinds, "max_leaves": 8, **options})


add(
    Subject(
        "mixed",
        "node",
        lambda: importlib.import_module("jax"),
        instances=_instances,
        requires="flax",
        refusal=_refusal,
        part_of="mixed",
    )
)
