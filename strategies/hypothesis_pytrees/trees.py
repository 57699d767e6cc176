"""trees(): the one recursion, every kind of node nested in every other."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

from hypothesis import strategies as st

from . import histories
from .containers import CONTAINERS
from .kinds import Kind
from .leaves import kinds_of, leaves as any_leaf
from .modules import MODULES
from .nodes import NODES
from .recipe import Recipe, Scope

_ALIAS_LEAF = Kind("alias-leaf", "")
_ALIAS_NODE = Kind("alias-node", "")
_DRAWN_LEAF = Kind("leaf", "")
_MAX_DEPTH = 4


@dataclasses.dataclass(eq=False)
class _Node:
    kind: Kind
    children: tuple[_Node, ...] = ()
    recipe: Recipe | None = None
    references: int = 0
    text: str = ""

    @property
    def is_leaf(self) -> bool:
        return self.kind.name == "leaf"


@functools.cache
def _table(kinds: tuple[Kind, ...], leaf_kinds: tuple[Kind, ...], alias: bool) -> tuple[Kind, ...]:
    """Lay out the drawing table: leaves first, since draws shrink to entry 0; two fifths leaves."""
    aliases = (_ALIAS_LEAF, _ALIAS_NODE) * max(1, len(kinds) // 6) if alias else ()
    copies = max(1, round(len(kinds) / len(leaf_kinds)))
    return (*leaf_kinds * copies, *aliases, *kinds)


class _Growth:
    """One tree while it grows: what is left of the leaf budget, and what can be aliased."""

    def __init__(
        self,
        draw: st.DrawFn,
        leaves: st.SearchStrategy[Recipe],
        kinds: tuple[Kind, ...],
        max_leaves: int,
        alias: bool,
    ) -> None:
        self._draw = draw
        self._leaves = leaves
        self._leaf_kinds = kinds_of(leaves) or (_DRAWN_LEAF,)
        self._table = _table(kinds, self._leaf_kinds, alias)
        self._index = st.integers(0, len(self._table) - 1)
        # A bare leaf is a rare tree: the root meets the leaves once, not in proportion.
        self._root_table = (*self._leaf_kinds[:4], *kinds)
        self._root_index = st.integers(0, len(self._root_table) - 1)
        self._leaf_index = st.integers(0, len(self._leaf_kinds) - 1)
        self._budget = max_leaves
        self._leaf_nodes: list[_Node] = []
        self._inner_nodes: list[_Node] = []

    def grow(self, depth: int = 0) -> _Node:
        if self._budget <= 1 or depth >= _MAX_DEPTH:
            return self._leaf(self._leaf_kinds[self._draw(self._leaf_index)])
        if depth == 0:
            kind = self._root_table[self._draw(self._root_index)]
        else:
            kind = self._table[self._draw(self._index)]
        if kind is _ALIAS_LEAF and self._leaf_nodes:
            return self._leaf_nodes[-1]
        if kind is _ALIAS_NODE and self._inner_nodes:
            return self._inner_nodes[-1]
        if kind in (_ALIAS_LEAF, _ALIAS_NODE):
            kind = self._leaf_kinds[0]
        return self._leaf(kind) if kind.name == "leaf" else self.node(kind, depth)

    def node(self, kind: Kind, depth: int = 0) -> _Node:
        children = tuple(self.grow(depth + 1) for _ in range(kind.arity))
        node = _Node(kind, children)
        self._inner_nodes.append(node)
        return node

    def _leaf(self, kind: Kind) -> _Node:
        self._budget -= 1
        node = _Node(kind, recipe=self._draw(self._leaves) if kind is _DRAWN_LEAF else None)
        self._leaf_nodes.append(node)
        return node


def _write(scope: Scope, root: _Node) -> str:
    """Turn the grown tree into text; what is referenced twice is bound to a name."""

    def count(node: _Node) -> None:
        node.references += 1
        if node.references == 1:
            for child in node.children:
                count(child)

    def write(node: _Node) -> str:
        if node.text:
            return node.text
        if node.recipe is not None:
            node.text = scope.include(node.recipe)
        else:
            scope.define(*node.kind.definitions)
            scope.note(node.kind.name, *node.kind.features)
            node.text = node.kind.text([write(child) for child in node.children])
            scope.note(*(f"{node.kind.name}>{child.kind.name}" for child in node.children))
        if node.references > 1:
            scope.note("alias:leaf" if node.is_leaf else "alias:subtree")
            node.text = scope.bind("shared", node.text)
        return node.text

    count(root)
    return write(root)


def draw_tree(
    draw: st.DrawFn,
    scope: Scope,
    *,
    leaves: st.SearchStrategy[Recipe] | None = None,
    kinds: Sequence[Kind] | None = None,
    roots: Sequence[Kind] | None = None,
    max_leaves: int = 6,
    alias: bool = True,
) -> str:
    """Draw a tree into a scope that other draws share and give its expression.

    Args:
        leaves: strategy of leaf recipes; default `hypothesis_pytrees.leaves()`.
        kinds: the kinds of inner nodes; default every kind.
        roots: the kinds that the root is drawn from; default leaves and `kinds` alike.
        max_leaves: leaf budget, at least 1; an inner node may exceed it by its own children.
        alias: let the same leaf and the same subtree stand twice.
    """
    if max_leaves < 1:
        raise ValueError(f"max_leaves must be at least 1, got {max_leaves}")
    inner = tuple(kinds) if kinds is not None else every_kind()
    growth = _Growth(draw, leaves or any_leaf(), inner, max_leaves, alias)
    root = growth.node(draw(st.sampled_from(list(roots)))) if roots else growth.grow()
    return _write(scope, root)


@functools.cache
def every_kind() -> tuple[Kind, ...]:
    """Give every kind of inner node whose library is installed."""
    return (*CONTAINERS, *NODES, *MODULES)


@st.composite
def trees(
    draw: st.DrawFn,
    leaves: st.SearchStrategy[Recipe] | None = None,
    *,
    kinds: Sequence[Kind] | None = None,
    roots: Sequence[Kind] | None = None,
    max_leaves: int = 6,
    alias: bool = True,
    history: bool = False,
) -> Recipe:
    """Draw the recipe of a tree that nests every kind of node in every other.

    Args:
        leaves: strategy of leaf recipes; default `hypothesis_pytrees.leaves()`.
        kinds: the kinds of inner nodes; default every kind whose library is installed.
        roots: the kinds that the root is drawn from; default leaves and `kinds` alike.
        max_leaves: leaf budget, at least 1; default 6.
        alias: let the same leaf and the same subtree stand twice; default `True`.
        history: let something happen to the tree first (copy, pickle, a map); default `False`.

    Raises:
        ValueError: `max_leaves` is below 1.
    """
    scope = Scope()
    expression = draw_tree(
        draw, scope, leaves=leaves, kinds=kinds, roots=roots, max_leaves=max_leaves, alias=alias
    )
    if history:
        expression = scope.bind("tree", expression)
        histories.apply(draw, scope, expression)
    return scope.recipe(expression)
