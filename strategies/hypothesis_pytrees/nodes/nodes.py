"""Nodes registered in every way that JAX offers, each one obeying the contract of its registration.

The contract: flatten is pure and returns the children themselves, aux data is hashable and compares
by value, unflatten accepts any objects as children and has no effect that can be seen.
Source: https://docs.jax.dev/en/latest/101/pytrees.html#custom-pytree-nodes
"""

from __future__ import annotations

from hypothesis_pytrees.core.kinds import Kind

from .by_class import BY_CLASS
from .by_function import BY_FUNCTION
from .declared import DATACLASSES, PARTIALS, STATIC
from .with_keys import BY_CLASS_WITH_KEYS, BY_FUNCTION_WITH_KEYS

NODES: tuple[Kind, ...] = (
    *BY_FUNCTION,
    *DATACLASSES,
    *PARTIALS,
    *BY_CLASS,
    *BY_FUNCTION_WITH_KEYS,
    *BY_CLASS_WITH_KEYS,
    *STATIC,
)
