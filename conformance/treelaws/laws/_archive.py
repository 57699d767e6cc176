"""Archives of named arrays, as NumPy writes them: for trees that are stored by their paths."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from treelaws.comparison.leaf_equality import as_numpy


def archived(tree_util: Any, tree: Any) -> bytes:
    """Return an archive of the leaves of a tree, each under its key path as text.

    Args:
        tree_util: `jax.tree_util`.
        tree: a tree of arrays.
    """
    file = io.BytesIO()
    pairs = tree_util.tree_flatten_with_path(tree)[0]
    named: dict[str, Any] = {tree_util.keystr(path): as_numpy(leaf) for path, leaf in pairs}
    np.savez(file, **named)
    return file.getvalue()


def unarchived(tree_util: Any, archive: bytes, like: Any) -> list[np.ndarray]:
    """Return the arrays of an archive in the order of the leaves of a tree.

    Args:
        tree_util: `jax.tree_util`.
        archive: what `archived` returned for a tree with the same paths.
        like: a tree with these paths and dtypes.

    Raises:
        KeyError: the archive lacks a path of `like`.
        ValueError: it has another one.
    """
    pairs = tree_util.tree_flatten_with_path(like)[0]
    named = [(tree_util.keystr(path), leaf) for path, leaf in pairs]
    with np.load(io.BytesIO(archive)) as found:
        if further := sorted({*found.files} - {name for name, _ in named}):
            raise ValueError(f"the archive also has {further[0]}, which the tree lacks")
        return [_typed(found[name], as_numpy(leaf)) for name, leaf in named]


def _typed(read: np.ndarray, like: np.ndarray) -> np.ndarray:
    # NumPy writes the dtypes of other libraries, such as bfloat16, as bytes.
    opaque = read.dtype.kind == "V" and read.dtype.itemsize == like.dtype.itemsize
    return read.view(like.dtype) if opaque else read


def numbers(leaves: list[Any]) -> list[np.ndarray]:
    """Return leaves as NumPy arrays, of random keys their data."""
    return [as_numpy(leaf) for leaf in leaves]
