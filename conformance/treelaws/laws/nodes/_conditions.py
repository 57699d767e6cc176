"""Conditions of laws about transformations: the leaves and shapes that an instance takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.tree_util as jtu
import numpy as np

from treelaws.core.conditions import Condition
from treelaws.core.law import Case
from treelaws.core.mismatch import first_line
from treelaws.core.subject import Subject


def has_real_leaves(lib: Any, case: Case) -> str:
    """Say which leaf of the instance is not a real floating number or array."""
    for leaf in lib.tree_util.tree_leaves(node_of(case)):
        kind = getattr(leaf, "dtype", float)
        numeric = isinstance(leaf, (float, np.ndarray, np.generic, lib.Array))
        if not numeric or not lib.numpy.issubdtype(kind, lib.numpy.floating):
            found = f"has the dtype {kind}" if numeric else f"is a {type(leaf).__name__}"
            return f"jax.grad takes real floating leaves, and one {found}"
    return ""


def accepts_the_shapes_of_derivatives(lib: Any, case: Case) -> str:
    """Say why the instance refuses arrays of the shapes that its second derivatives have.

    JAX first makes one array for the derivatives by all leaves, along an axis of their total size.
    """
    leaves, treedef = lib.tree_util.tree_flatten(node_of(case))
    total = (sum(map(np.size, leaves)),)
    axes = [*map(np.shape, leaves), total, (*total, *total)]
    shapes = [[(*np.shape(one), *more) for one in leaves] for more in axes]
    shapes.append([(*total, *np.shape(one)) for one in leaves])
    refused = (_refusal(treedef, leaves, list(map(lib.numpy.zeros, one))) for one in shapes)
    return next(filter(None, refused), "")


def accepts_a_batch(lib: Any, case: Case) -> str:
    """Say why the instance refuses leaves that all have a new leading axis."""
    leaves, treedef = lib.tree_util.tree_flatten(node_of(case))
    return _refusal(treedef, leaves, stacked(lib, leaves))


def accepts_some_batched(lib: Any, case: Case) -> str:
    """Say why the instance refuses leaves of which every second one has a new leading axis."""
    leaves, treedef = lib.tree_util.tree_flatten(node_of(case))
    return _refusal(treedef, leaves, stacked(lib, leaves, every=2))


def applying(subject: Subject, *conditions: Condition) -> tuple[Condition, ...]:
    """Return the conditions that apply to a subject.

    A user's class may refuse other shapes. The nodes of the suite accept them, so that an error is
    a bug, which a trial would hide.
    """
    return tuple(one for one in conditions if not (subject.shipped and one in _OF_SHAPES))


def stacked(lib: Any, leaves: Sequence[Any], *, every: int = 1) -> list[Any]:
    """Return the leaves with two copies of each in a new leading axis.

    Args:
        lib: JAX.
        leaves: numbers and arrays.
        every: 2 to stack every second leaf only, from the first one on; default 1.
    """
    indexed = enumerate(leaves)
    return [leaf if index % every else lib.numpy.stack([leaf, leaf]) for index, leaf in indexed]


def node_of(case: Case) -> Any:
    """Return the instance: the value of a recipe until a case binds it to `node`."""
    return case.result if case.recipe.expression else case.node


def _refusal(treedef: Any, own: Sequence[Any], leaves: Sequence[Any]) -> str:
    """Say why unflatten refuses leaves; a node that refuses its own ones breaks a law instead."""
    kept = jtu.tree_structure(treedef.unflatten(own)) == treedef
    shapes = ", ".join(str(np.shape(leaf)) for leaf in leaves)
    # A node may check shapes, and raise any error.
    try:
        found = jtu.tree_structure(treedef.unflatten(leaves))
    except Exception as raised:
        error = f"{type(raised).__name__}: {first_line(raised)}"
        return f"its unflatten refuses arrays of the shapes {shapes} ({error})"
    # A node may compute its aux data from the shapes; that it keeps its treedef for leaves of the
    # same shapes are other laws.
    changed = f"its treedef is another one for arrays of the shapes {shapes}"
    return changed if kept and found != treedef else ""


_OF_SHAPES = (accepts_the_shapes_of_derivatives, accepts_a_batch, accepts_some_batched)
