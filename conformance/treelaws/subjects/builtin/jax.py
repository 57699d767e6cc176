"""JAX as a subject, and the node types that it registers or lets users register."""

from __future__ import annotations

import functools
import importlib
from types import ModuleType

from hypothesis_pytrees import CONTAINERS, trees
from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.nodes.nodes import NODES
from treelaws.compat import claims
from treelaws.core.subject import Subject, add


def _library() -> ModuleType:
    # JAX loads this submodule only if it is imported by name.
    importlib.import_module("jax.flatten_util")
    return importlib.import_module("jax")


jax = add(Subject("jax", "jax", _library, claims=lambda _: claims.of("jax"), part_of="jax"))

_KINDS = available((*CONTAINERS, *NODES))
for _name in dict.fromkeys(kind.name for kind in _KINDS):
    _roots = tuple(kind for kind in _KINDS if kind.name == _name)
    add(
        Subject(
            _name,
            "node",
            lambda: importlib.import_module("jax"),
            kind=_name,
            # Children are of JAX's own types: a bug of another library is not a bug of this node.
            instances=functools.partial(trees, roots=_roots, kinds=_KINDS),
            part_of="jax",
        )
    )
