"""Node classes with operators of their own, as classes of kernels and linear operators have."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp


@jax.tree_util.register_pytree_node_class
class Summed:
    """Holds one part."""

    def __init__(self, part: Any) -> None:
        self.part = part

    def tree_flatten(self) -> Any:
        return (self.part,), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        made = object.__new__(cls)
        (made.part,) = children
        return made


@jax.tree_util.register_pytree_node_class
class Sums(Summed):
    """Takes anything as the other side of `+`."""

    def __add__(self, other: Any) -> Any:
        return Sums([self.part, other])


@jax.tree_util.register_pytree_node_class
class Fixed(Summed):
    """Takes only what JAX takes as an array."""

    def __add__(self, other: Any) -> Any:
        return Fixed(self.part + jnp.asarray(other))
