"""Kinds of several libraries that nest in each other: Equinox, Flax, Optax, JAX, users' own."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis_pytrees.classes.modules import MODULES
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.flax.chex_dataclasses import CHEX_DATACLASSES
from hypothesis_pytrees.flax.frozen import FROZEN_DICTS
from hypothesis_pytrees.flax.structs import FLAX_STRUCTS
from hypothesis_pytrees.nnx.nodes import NNX_MODULE_NODES, NNX_STATE_NODES, NNX_VARIABLE_NODES
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.containers import CONTAINERS

# All of these are named tuples.
OPTAX_NODES: Sequence[Kind] = tuple(
    Kind("optax-state", text, features=("namedtuple",))
    for text in (
        "optax.TraceState($0)",
        "optax.ScaleByAdamState(count=$0, mu=$1, nu=$2)",
        "(optax.EmptyState(), optax.TraceState($0))",
        "optax.MaskedState($0)",
        "optax.MaskedNode()",
    )
)


# Nodes that take any child.
_NODES: Sequence[Kind] = tuple(
    kind for kind in NODES if "node:typed-children" not in kind.features and not kind.takes
)
# Draws repeat the kinds of small families, so that each library nests in each other often.
MIXED_KINDS: Sequence[Kind] = (
    *CONTAINERS,
    *_NODES,
    *MODULES,
    *NNX_STATE_NODES,
    *NNX_VARIABLE_NODES,
    *NNX_MODULE_NODES,
    *FLAX_STRUCTS,
    *FROZEN_DICTS,
    *CHEX_DATACLASSES,
    *OPTAX_NODES,
)
# Nodes of libraries with at least one child.
MIXED_ROOTS: Sequence[Kind] = tuple(
    kind for kind in MIXED_KINDS if kind.arity and kind not in (*CONTAINERS, *NODES)
)
