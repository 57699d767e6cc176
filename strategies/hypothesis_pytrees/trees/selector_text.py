"""The text by which a selector reaches a position of a tree."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Scope

from .positions import Position, names_of, positions_of, predicate_of, type_text

_way_index = st.integers(0, 1)


class SelectorText:
    """Writes how a selector reaches a position of one tree.

    Args:
        tree: name of the tree, bound already.
        is_leaf: name of a bound predicate, or `None`.
        positions: whether a position may be written as an index into the leaves.
    """

    def __init__(self, scope: Scope, tree: str, is_leaf: str | None, positions: bool) -> None:
        names = names_of(scope)
        self._scope = scope
        self._tree = tree
        self._value = names[tree]
        self._is_leaf = is_leaf
        self._accepts = names[is_leaf] if is_leaf else None
        self._positions = positions

    def eligible(self, subtrees: bool, aliased: bool) -> list[Position]:
        """Return the selectable positions: leaves, then inner nodes, the root last."""
        found = [
            position
            for position in positions_of(self._value, self._accepts)
            # `None` can be selected only where `is_leaf` accepts it, that is where it is a leaf.
            if (subtrees or position.is_leaf)
            and (position.is_leaf or position.node is not None)
            and (aliased or not position.aliased)
            and (position.access is not None or (self._positions and self._by_index(position)))
        ]
        return sorted(
            found, key=lambda position: (not position.is_leaf, not position.order, position.order)
        )

    def draw_text(self, draw: st.DrawFn, position: Position) -> str:
        """Draw one of the ways to reach a position, note which, and return its text."""
        ways: dict[str, str] = {}
        if position.access is not None:
            ways["attribute"] = f"tree{position.access}"
        by_index = self._by_index(position) if self._positions else None
        if by_index is not None:
            ways["position"] = by_index
        # Drawn even if there is one way: with fewer draws, simpler trees would not shrink further.
        way = list(ways)[min(draw(_way_index), len(ways) - 1)]
        self._scope.note(f"where:{way}")
        if way == "position" and position.after_empty_tuple:
            self._scope.note("where:position-after-empty-tuple")
        return ways[way]

    def _by_index(self, position: Position) -> str | None:
        if position.is_leaf:
            option = f", is_leaf={self._is_leaf}" if self._is_leaf else ""
            return f"jtu.tree_leaves(tree{option})[{position.leaf_order}]"
        # An inner node is a leaf for the predicate that accepts its type, unless an outer node is
        # of that type too.
        kind = type_text(position, self._tree)
        if kind is None or "(" in kind:
            return None
        accepted = f"isinstance(node, {kind})"
        if self._is_leaf:
            accepted = f"{self._is_leaf}(node) or {accepted}"
        accepts = predicate_of(self._scope, accepted)
        for other in positions_of(self._value, accepts):
            if other.is_leaf and other.route == position.route:
                return f"jtu.tree_leaves(tree, is_leaf=lambda node: {accepted})[{other.leaf_order}]"
        return None
