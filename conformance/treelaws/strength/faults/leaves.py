"""Leaves of an answer, replaced by others."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
from jax.core import Tracer

# What a change gives if it does not apply.
KEPT = object()


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """Flatten a tree in a thread of its own.

    JAX never forgets the levels of a tree that it rejects, such as one that holds itself, and each
    thread has only so many. Faults flatten what laws only pass on.
    """
    results: list[Any] = []

    def act() -> None:
        try:
            results.extend(jtu.tree_flatten(tree))
        except Exception as raised:
            results.append(raised)

    thread = threading.Thread(target=act)
    thread.start()
    thread.join()
    if len(results) == 1:
        raise results[0]
    return results[0], results[1]


class Other:
    """Stands for a leaf of which no other value is known."""


def change_leaves(answer: Any, change: Callable[[Any], Any], *, most: int | None = None) -> Any:
    """Return the tree with some leaves changed.

    Args:
        answer: any tree.
        change: takes a leaf; returns the new one, or `KEPT`.
        most: number of leaves to change at most; default all.

    Returns:
        the new tree, or `KEPT` if no leaf changes.
    """
    leaves, treedef = flatten(answer)
    new, changed = [], 0
    for leaf in leaves:
        found = change(leaf) if most is None or changed < most else KEPT
        changed += found is not KEPT
        new.append(leaf if found is KEPT else found)
    return treedef.unflatten(new) if changed else KEPT


def swapped(answer: Any) -> Any:
    """Return the tree with the first two leaves exchanged that differ; `KEPT` without such."""
    leaves, treedef = flatten(answer)
    for first, one in enumerate(leaves):
        for second in range(first + 1, len(leaves)):
            if not alike(one, leaves[second]):
                leaves[first], leaves[second] = leaves[second], one
                return treedef.unflatten(leaves)
    return KEPT


def other(leaf: Any) -> Any:
    """Return another value of the same type, shape and dtype, as far as there is one."""
    if isinstance(leaf, (bool, np.bool_)):
        return type(leaf)(not leaf)
    if isinstance(leaf, (int, float, complex, np.number)):
        kind: Any = type(leaf)
        return kind(leaf + 1)
    if isinstance(leaf, str):
        return f"{leaf}x"
    if isinstance(leaf, (jax.Array, np.ndarray)):
        return _other_array(leaf)
    if isinstance(leaf, jax.ShapeDtypeStruct):
        return jax.ShapeDtypeStruct((*leaf.shape, 1), leaf.dtype)
    if isinstance(leaf, jtu.PyTreeDef):
        return jtu.treedef_tuple([leaf])
    for name in ("name", "key", "idx"):
        if type(leaf).__name__.endswith("Key") and hasattr(leaf, name):
            return type(leaf)(other(getattr(leaf, name)))
    return Other()


def _other_array(leaf: Any) -> Any:
    if leaf.size == 0 or not is_numeric(leaf):
        return KEPT
    if leaf.dtype == bool:
        return ~leaf
    # Also in integers of one bit and in small floats.
    return leaf + np.ones((), leaf.dtype)


def zero(leaf: Any) -> Any:
    """Return zero of the same type, shape and dtype."""
    if isinstance(leaf, (bool, int, float, complex, np.number, np.bool_)):
        return type(leaf)(0) if leaf else KEPT
    if isinstance(leaf, (jax.Array, np.ndarray)) and is_numeric(leaf):
        made = leaf * np.zeros((), leaf.dtype) if leaf.dtype != bool else leaf & False
        return KEPT if alike(made, leaf) else made
    return KEPT


_DTYPES = (
    ("float32", "float16"),
    ("float16", "float32"),
    ("bfloat16", "float32"),
    ("float64", "float32"),
    ("complex64", "float32"),
    ("bool", "int32"),
    ("int8", "int16"),
    ("int16", "int32"),
    ("int32", "int16"),
    ("int64", "int32"),
    ("uint8", "uint16"),
    ("uint16", "uint32"),
    ("uint32", "uint16"),
)
_OTHER_DTYPE = dict(_DTYPES)


def other_dtype(leaf: Any) -> Any:
    """Return the same values in another dtype; for a Python number, as an array."""
    if isinstance(leaf, (bool, int, float, complex)):
        return np.asarray(leaf)
    if isinstance(leaf, jax.ShapeDtypeStruct) and leaf.dtype.name in _OTHER_DTYPE:
        return jax.ShapeDtypeStruct(leaf.shape, _OTHER_DTYPE[leaf.dtype.name])
    if isinstance(leaf, (jax.Array, np.ndarray)) and leaf.dtype.name in _OTHER_DTYPE:
        real = leaf.real if leaf.dtype.name == "complex64" else leaf
        return real.astype(_OTHER_DTYPE[leaf.dtype.name])
    return KEPT


def other_weakness(leaf: Any) -> Any:
    """Return an array with the same values that is weakly typed, or strongly if it was weakly."""
    if not isinstance(leaf, jax.Array) or leaf.dtype.name not in ("float32", "int32"):
        return KEPT
    if leaf.weak_type:
        return jax.lax.convert_element_type(leaf, leaf.dtype)
    if isinstance(leaf, Tracer) or leaf.size == 0:
        return KEPT
    flat = [jnp.asarray(value) for value in np.asarray(leaf).ravel().tolist()]
    return jnp.stack(flat).reshape(leaf.shape)


def copied(leaf: Any) -> Any:
    """Return another object that is equal."""
    if isinstance(leaf, Tracer):
        return KEPT
    made = leaf.copy() if isinstance(leaf, (jax.Array, np.ndarray)) else copy.copy(leaf)
    return KEPT if made is leaf else made


def is_numeric(array: Any) -> bool:
    """Return whether an array holds numbers or booleans, and not random keys or objects."""
    return jnp.issubdtype(array.dtype, np.number) or array.dtype == bool


def alike(one: Any, two: Any) -> bool:
    """Return whether two trees have the same structure, and leaves of the same type and value."""
    if one is two:
        return True
    ones, structure = flatten(one)
    twos, other_structure = flatten(two)
    return structure == other_structure and all(map(_alike_leaf, ones, twos))


def _alike_leaf(one: Any, two: Any) -> bool:
    if one is two:
        return True
    if type(one) is not type(two) or isinstance(one, Tracer):
        return False
    if not isinstance(one, (jax.Array, np.ndarray)):
        return bool(one == two)
    if jnp.issubdtype(one.dtype, jax.dtypes.prng_key) and one.dtype == two.dtype:
        one, two = jax.random.key_data(one), jax.random.key_data(two)
    same = one.dtype == two.dtype and one.shape == two.shape
    return same and np.asarray(one).tobytes() == np.asarray(two).tobytes()
