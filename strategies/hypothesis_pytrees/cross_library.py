"""Kinds of several libraries that nest in each other: Equinox, Flax, Optax, JAX, users' own."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis_pytrees.classes.modules import MODULES, SIMPLE
from hypothesis_pytrees.core.kinds import Kind
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


def _plain(kinds: Sequence[Kind], most: int) -> tuple[Kind, ...]:
    """Return the first kinds that accept any child and have no `node:` feature."""
    good = (kind for kind in kinds if not any(name.startswith("node:") for name in kind.features))
    return tuple(good)[:most]


# Few of each library, so that they nest in each other often.
MIXED_KINDS: Sequence[Kind] = (
    *CONTAINERS,
    *_plain(NODES, 12),
    *_plain(SIMPLE, 6),
    *_plain(MODULES[::-1], 6),
    *NNX_STATE_NODES,
    *NNX_VARIABLE_NODES,
    *NNX_MODULE_NODES[:8],
    *_plain(FLAX_STRUCTS, 4),
    *_plain(FLAX_STRUCTS[::-1], 4),
    *FROZEN_DICTS,
    *OPTAX_NODES,
)
# Nodes of libraries with at least one child.
MIXED_ROOTS: Sequence[Kind] = tuple(
    kind for kind in MIXED_KINDS if kind.arity and kind not in (*CONTAINERS, *NODES)
)
