"""JAX as a subject, and the node types that it registers or lets users register."""

from __future__ import annotations

import functools
import importlib

from hypothesis_pytrees import CONTAINERS, trees
from hypothesis_pytrees.nodes import NODES

from ..subjects import Subject, register

jax = register(Subject("jax", "jax", lambda: importlib.import_module("jax")))

for _name in dict.fromkeys(kind.name for kind in (*CONTAINERS, *NODES)):
    _roots = tuple(kind for kind in (*CONTAINERS, *NODES) if kind.name == _name)
    register(
        Subject(
            _name,
            "node",
            lambda: importlib.import_module("jax"),
            instances=functools.partial(trees, roots=_roots),
        )
    )
