"""Reaching: the text by which a selector gets from a tree to one of its places."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Scope

from .positions import Place, names_of, places_of, predicate_of, type_text

_way_index = st.integers(0, 1)


class Reach:
    """Writes how a selector reaches a place of one tree.

    Args:
        tree: name of the tree, bound already.
        is_leaf: name of a bound predicate, or `None`.
        positions: whether a place may be reached by its position among the leaves.
    """

    def __init__(self, scope: Scope, tree: str, is_leaf: str | None, positions: bool) -> None:
        names = names_of(scope)
        self._scope = scope
        self._tree = tree
        self._value = names[tree]
        self._is_leaf = is_leaf
        self._accepts = names[is_leaf] if is_leaf else None
        self._positions = positions

    def eligible(self, subtrees: bool, aliased: bool) -> list[Place]:
        """Give the places that a selector may reach: leaves first, then inner nodes, root last."""
        places = [
            place
            for place in places_of(self._value, self._accepts)
            # `None` can be selected only where `is_leaf` accepts it, that is where it is a leaf.
            if (subtrees or place.is_leaf)
            and (place.is_leaf or place.node is not None)
            and (aliased or not place.aliased)
            and (place.access is not None or (self._positions and self._position(place)))
        ]
        return sorted(places, key=lambda place: (not place.is_leaf, not place.order, place.order))

    def draw_text(self, draw: st.DrawFn, place: Place) -> str:
        """Draw one of the ways to reach a place, note which, and give its text."""
        ways: dict[str, str] = {}
        if place.access is not None:
            ways["attribute"] = f"tree{place.access}"
        position = self._position(place) if self._positions else None
        if position is not None:
            ways["position"] = position
        # Drawn even where there is one way: a draw less would keep simpler trees from shrinking.
        way = list(ways)[min(draw(_way_index), len(ways) - 1)]
        self._scope.note(f"where:{way}")
        if way == "position" and place.after_empty_tuple:
            self._scope.note("where:position-after-empty-tuple")
        return ways[way]

    def _position(self, place: Place) -> str | None:
        if place.is_leaf:
            option = f", is_leaf={self._is_leaf}" if self._is_leaf else ""
            return f"jtu.tree_leaves(tree{option})[{place.leaf_order}]"
        # An inner node is a leaf for the predicate that accepts its type, unless an outer node is
        # of that type too.
        kind = type_text(place, self._tree)
        if kind is None or "(" in kind:
            return None
        accepted = f"isinstance(node, {kind})"
        if self._is_leaf:
            accepted = f"{self._is_leaf}(node) or {accepted}"
        accepts = predicate_of(self._scope, accepted)
        for other in places_of(self._value, accepts):
            if other.is_leaf and other.route == place.route:
                return f"jtu.tree_leaves(tree, is_leaf=lambda node: {accepted})[{other.leaf_order}]"
        return None
