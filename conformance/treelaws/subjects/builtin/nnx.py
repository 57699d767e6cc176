"""Flax NNX as a subject, and its types as nodes."""

from __future__ import annotations

import functools
import importlib
from types import ModuleType

from hypothesis_pytrees import CONTAINERS, trees
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.nnx.nodes import (
    NNX_DICT_NODES,
    NNX_GRAPHDEF_NODES,
    NNX_LAYER_NODES,
    NNX_LIST_NODES,
    NNX_MODULE_NODES,
    NNX_STATE_NODES,
    NNX_VARIABLE_NODES,
)
from hypothesis_pytrees.nodes.nodes import NODES
from treelaws import compat
from treelaws.compat import claims
from treelaws.core.subject import Subject, add


def _library() -> ModuleType:
    return importlib.import_module("flax.nnx")


def _refusal(kinds: tuple[Kind, ...], since: str) -> str:
    """Return why these types are not nodes in the installed release; empty if they are."""
    if not compat.matches("flax", since):
        return (
            f"{kinds[0].name} is not a PyTree in flax {compat.version('flax')}, or does not exist"
        )
    return ""


nnx = add(
    Subject(
        "nnx", "nnx", _library, claims=lambda _: claims.of("nnx"), requires="flax", part_of="nnx"
    )
)
# By name: the types, and the releases in which they are PyTrees.
_NODES = {
    "nnx.Module": ((*NNX_MODULE_NODES, *NNX_LAYER_NODES), ">=0.11"),
    "nnx.containers": ((*NNX_LIST_NODES, *NNX_DICT_NODES), ">=0.12"),
    "nnx.Variable": (tuple(NNX_VARIABLE_NODES), ">=0.10.7"),
    "nnx.State": ((*NNX_STATE_NODES, *NNX_GRAPHDEF_NODES), ">=0.10"),
}
for _name, (_kinds, _since) in _NODES.items():
    add(
        Subject(
            _name,
            "node",
            lambda: importlib.import_module("jax"),
            kind=_kinds[0].name,
            # Children are of JAX's own types: a bug of another library is not a bug of this node.
            instances=functools.partial(trees, roots=_kinds, kinds=(*CONTAINERS, *NODES)),
            requires="flax",
            refusal=functools.partial(_refusal, _kinds, _since),
            part_of="nnx",
        )
    )
