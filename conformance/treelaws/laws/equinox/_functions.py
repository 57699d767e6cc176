"""Functions for the laws about transformations, and helpers that take trees apart.

Their arithmetic is exact, so compiled and uncompiled results agree in every bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np


def is_array(leaf: Any) -> bool:
    """Return whether a leaf is a JAX or NumPy array."""
    # JAX 0.7.2 to 0.9 wraps some NumPy arrays in a private type, which has a weak type.
    wrapped = all(hasattr(type(leaf), name) for name in ("__array__", "weak_type"))
    return isinstance(leaf, (jax.Array, np.ndarray)) or wrapped


def is_inexact(leaf: Any) -> bool:
    """Return whether a leaf is a floating-point or complex array."""
    return is_array(leaf) and bool(jnp.issubdtype(leaf.dtype, jnp.inexact))


def doubled(tree: Any) -> Any:
    """Add each array to itself; keep other leaves."""
    return jtu.tree_map(lambda leaf: jnp.add(leaf, leaf) if is_array(leaf) else leaf, tree)


def squared(tree: Any) -> Any:
    """Multiply each leaf by itself."""
    return jtu.tree_map(lambda leaf: leaf * leaf, tree)


def repeated(tree: Any) -> Any:
    """Stack each array on itself, without arithmetic, so that every device gives the same bytes."""
    return jtu.tree_map(lambda leaf: jnp.stack([leaf, leaf]) if is_array(leaf) else leaf, tree)


def paired(tree: Any) -> Any:
    """Stack each array and its double, which changes the shape; keep other leaves."""
    return jtu.tree_map(
        lambda leaf: jnp.stack([leaf, jnp.add(leaf, leaf)]) if is_array(leaf) else leaf, tree
    )


def energy(tree: Any) -> Any:
    """Return the sum of the squares of the inexact arrays; its gradient is twice each array."""
    return sum((jnp.sum(leaf * leaf) for leaf in inexact_leaves(tree)), start=jnp.float32(0))


def inexact_leaves(tree: Any) -> list[Any]:
    """Return the inexact arrays, in order."""
    return [leaf for leaf in jtu.tree_leaves(tree) if is_inexact(leaf)]


def with_inexact(tree: Any, leaves: Any) -> Any:
    """Return the tree with its inexact arrays replaced by the given leaves."""
    rest = iter(leaves)
    return jtu.tree_map(lambda leaf: next(rest) if is_inexact(leaf) else leaf, tree)


def only_inexact(tree: Any, leaves: Any) -> Any:
    """Return the tree with the given leaves for its inexact arrays and `None` elsewhere."""
    rest = iter(leaves)
    return jtu.tree_map(lambda leaf: next(rest) if is_inexact(leaf) else None, tree)


def of_inexact(function: Callable[[Any], Any], tree: Any) -> Callable[[list[Any]], Any]:
    """Return the function of the tree as a function of the list of its inexact arrays.

    Plain JAX can differentiate that function.
    """
    return lambda leaves: function(with_inexact(tree, leaves))


def arrays_of(tree: Any) -> list[jax.Array]:
    """Return the arrays as JAX arrays, in order."""
    return [jnp.asarray(leaf) for leaf in jtu.tree_leaves(tree) if is_array(leaf)]


def with_arrays(tree: Any, arrays: Any) -> Any:
    """Return the tree with its arrays replaced by the given ones."""
    rest = iter(arrays)
    return jtu.tree_map(lambda leaf: next(rest) if is_array(leaf) else leaf, tree)


def with_jax_arrays(tree: Any) -> Any:
    """Return the tree with NumPy arrays replaced by JAX arrays."""
    return with_arrays(tree, arrays_of(tree))


def with_jax_values(tree: Any) -> Any:
    """Return the tree with NumPy arrays and scalars replaced by JAX arrays."""
    convert = lambda leaf: jnp.asarray(leaf) if isinstance(leaf, np.generic) else leaf
    return with_jax_arrays(jtu.tree_map(convert, tree))


def structs(tree: Any) -> Any:
    """Return the tree with a `ShapeDtypeStruct` in place of each array."""
    return jtu.tree_map(lambda leaf: _struct(leaf) if is_array(leaf) else leaf, tree)


def _struct(array: Any) -> jax.ShapeDtypeStruct:
    weak = getattr(array, "weak_type", False)
    return jax.ShapeDtypeStruct(array.shape, array.dtype, weak_type=weak)


def counted(function: Callable[..., Any]) -> tuple[Callable[..., Any], list[int]]:
    """Return a new function that does the same, and a list that grows at each run of its body."""
    runs: list[int] = []

    def body(*args: Any, **kwargs: Any) -> Any:
        runs.append(len(runs))
        return function(*args, **kwargs)

    return body, runs
