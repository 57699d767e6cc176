"""Prefixes: a tree cut off at some depth, with one leaf for each subtree below the cut."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import jax.tree_util as jtu
from hypothesis import strategies as st

from .places import names_of, places_of, type_text
from .recipe import Scope

_CUTS = ("root", "leaves", "children", "type", "node")
_cut_index = st.integers(0, len(_CUTS) - 1)


@dataclasses.dataclass(frozen=True, eq=False)
class Prefix:
    """A prefix of a tree.

    Args:
        cut: where it ends: `"root"`, `"leaves"`, `"children"` (of the root), `"type"` or `"node"`.
        structure: text of its treedef; empty for a prefix that is one leaf.
        subtrees: what stands below each of its leaves.
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
    draw: st.DrawFn, scope: Scope, tree: str = "tree", *, is_leaf: str | None = None
) -> Prefix:
    """Draw where a prefix of the tree ends; shrinks to the root, one leaf for the whole tree.

    Args:
        tree: name of the tree, bound already.
        is_leaf: name of a bound predicate; no leaf of the prefix lies inside a node it accepts.
    """
    names = names_of(scope)
    value = names[tree]
    cut = _CUTS[draw(_cut_index)]
    condition = ""
    if cut == "children":
        condition = f"node is not {tree}"
    elif cut in ("type", "node"):
        condition = _draw_condition(draw, tree, value, cut)
        cut = cut if condition else "leaves"
    if cut == "root":
        return Prefix(cut, "", [value])
    predicate = " or ".join(part for part in (is_leaf and f"{is_leaf}(node)", condition) if part)
    if predicate == f"{is_leaf}(node)":
        option = f", is_leaf={is_leaf}"
    else:
        option = f", is_leaf=lambda node: {predicate}" if predicate else ""
    accepts = eval(f"lambda node: {predicate}", names) if predicate else None
    subtrees = jtu.tree_leaves(value, is_leaf=accepts)
    return Prefix(cut, f"jtu.tree_structure({tree}{option})", subtrees)


def _draw_condition(draw: st.DrawFn, tree: str, value: Any, cut: str) -> str:
    """Draw a node below the root and write the condition that cuts there; empty if there is none."""
    conditions: dict[str, None] = {}
    for place in places_of(value)[1:]:
        if place.is_leaf or place.node is None:
            continue
        if cut == "type":
            text = type_text(place, tree)
            if text is not None:
                conditions[f"isinstance(node, {text})"] = None
        elif place.access is not None:
            conditions[f"node is {tree}{place.access}"] = None
    return draw(st.sampled_from(list(conditions))) if conditions else ""
