"""Nodes registered in every way that JAX offers, each one obeying the contract of its registration.

The contract: flatten is pure and returns the children themselves, aux data is hashable and compares
by value, unflatten accepts any objects as children and has no effect that can be seen.
Source: https://docs.jax.dev/en/latest/101/pytrees.html#custom-pytree-nodes
"""

from __future__ import annotations

from hypothesis_pytrees.core.kinds import Kind

from .declared import DATACLASSES, PARTIALS, STATIC
from .node_classes import KEYED_CLASSES, NODE_CLASSES, NODES_WITHOUT_KEYS, PLAIN_NODE
from .specials import SPECIALS

NODES: tuple[Kind, ...] = (
    PLAIN_NODE,
    *NODE_CLASSES.alone(),
    *KEYED_CLASSES,
    *SPECIALS,
    *DATACLASSES,
    *PARTIALS,
    *NODE_CLASSES.of_run(),
    *NODES_WITHOUT_KEYS.of_run(),
    *STATIC,
)
