"""Prefixes: a tree cut off at some depth, with one leaf for each subtree below the cut."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Scope

from .positions import names_of, positions_of, predicate_of, present_nodes, present_types

# Where a prefix can end, simplest first: one leaf for the whole tree.
CUTS = ("root", "leaves", "children", "type", "node")


@dataclasses.dataclass(frozen=True, eq=False)
class Prefix:
    """A prefix of a tree.

    Args:
        cut: where it ends: `"root"`, `"leaves"`, `"children"` (of the root), `"type"` or `"node"`.
        structure: text of its treedef; empty for a prefix that is one leaf.
        subtrees: the subtree below each of its leaves.
    """

    cut: str
    structure: str
    subtrees: Sequence[Any]

    def text(self, leaves: Sequence[str]) -> str:
        """Write the prefix tree with the texts of its leaves."""
        if not self.structure:
            return leaves[0]
        return f"jtu.tree_unflatten({self.structure}, [{', '.join(leaves)}])"


def draw_prefix(
    draw: st.DrawFn, scope: Scope, cut: str, tree: str = "tree", *, is_leaf: str | None = None
) -> Prefix:
    """Write a prefix of the tree, drawing the node or the type at which it ends.

    Args:
        cut: an entry of `CUTS`; `"type"` and `"node"` become `"leaves"` where there is no node
            below the root.
        tree: name of the tree, bound already.
        is_leaf: name of a bound predicate; no leaf of the prefix lies inside a node it accepts.
    """
    value = names_of(scope)[tree]
    condition = f"node is not {tree}" if cut == "children" else ""
    if cut in ("type", "node"):
        condition = _draw_condition(draw, tree, value, cut)
        cut = cut if condition else "leaves"
    if cut != "root":
        whole = f"{is_leaf}(node)" if is_leaf else ""
        for name, text in ((cut, condition), ("leaves", "")):
            prefix = _prefix(scope, tree, name, " or ".join(filter(None, (whole, text))))
            if prefix is not None:
                return prefix
    return Prefix("root", "", [value])


def _prefix(scope: Scope, tree: str, cut: str, predicate: str) -> Prefix | None:
    """Write the prefix that a predicate cuts off, or give `None` if there is no such tree."""
    option = f", is_leaf=lambda node: {predicate}" if predicate else ""
    accepts = predicate_of(scope, predicate) if predicate else None
    subtrees, treedef = jtu.tree_flatten(names_of(scope)[tree], is_leaf=accepts)
    # Some nodes hold only children of one type (`jtu.Partial`: a tuple and a dict), so that a
    # prefix cannot have a leaf there, whatever they raise then.
    try:
        treedef.unflatten([True] * len(subtrees))
    except Exception:
        return None
    return Prefix(cut, f"jtu.tree_structure({tree}{option})", subtrees)


def _draw_condition(draw: st.DrawFn, tree: str, value: Any, cut: str) -> str:
    """Draw a node below the root and write the condition that cuts there, if there is a node."""
    below = positions_of(value)[1:]
    options = (present_types if cut == "type" else present_nodes)(below, tree)
    if not options:
        return ""
    option = options[draw(st.integers(0, len(options) - 1))]
    return f"isinstance(node, {option})" if cut == "type" else f"node is {option}"
