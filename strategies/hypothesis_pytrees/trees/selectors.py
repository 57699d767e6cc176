"""`where` selectors for `eqx.tree_at`: lambdas that reach one node or several disjoint nodes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from hypothesis import reject, strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .positions import Position, bind_tree
from .predicates import draw_is_leaf
from .selector_text import SelectorText

_FORMS = ("", "tuple", "list")
_form_index = st.integers(0, len(_FORMS) - 1)
# Added to a tree without a node to select; a new object each time the text runs.
_NEIGHBOUR = "np.float32([1.0, 2.0])"


@dataclasses.dataclass(frozen=True)
class _Surrounding:
    """A container that a tree is put into before a node is selected from it."""

    text: str = ""
    none: bool = False
    aliased: bool = False
    features: tuple[str, ...] = ()


# Odd neighbours that random trees rarely hold; a plain tree is the simplest and most frequent.
_SURROUNDINGS = (
    _Surrounding(),
    _Surrounding(),
    _Surrounding(),
    _Surrounding(none=True),
    _Surrounding("[$tree, None, None]", none=True, features=("list>None",)),
    _Surrounding("[$tree, $tree]", aliased=True, features=("alias:subtree",)),
    _Surrounding("[(), $tree]", features=("list>tuple", "empty")),
)


@dataclasses.dataclass(frozen=True, eq=False)
class Where:
    """A selector that was drawn.

    Args:
        name: the name it is bound to.
        form: `""` for a selector that returns one node, else `"tuple"` or `"list"`.
        targets: the positions that it selects, in its order.
    """

    name: str
    form: str
    targets: tuple[Position, ...]


def draw_where(
    draw: st.DrawFn,
    scope: Scope,
    tree: str = "tree",
    *,
    is_leaf: str | None = None,
    count: tuple[int, int] = (1, 3),
    subtrees: bool = True,
    aliased: bool = True,
    positions: bool = True,
    extend: bool = False,
) -> Where:
    """Draw a `where` selector of disjoint nodes, bind it and return it.

    Args:
        tree: name of the tree, bound already.
        is_leaf: name of a bound predicate, the one that `eqx.tree_at` is to get.
        count: least and greatest number of targets, at least 1; fewer where the tree has fewer.
        subtrees: also select inner nodes, the root included.
        aliased: also select objects that stand at several positions, interned ones such as `1` and
            `()` included.
        positions: also select by position (`jtu.tree_leaves(tree)[2]`); without it only what
            attributes, indices and keys reach.
        extend: put the tree into a list beside new leaves where it has too few targets. Choices
            drawn before from the tree no longer fit it then. By default the draw is rejected
            where there is no target at all.
    """
    _check_count(count)
    reach = SelectorText(scope, tree, is_leaf, positions)
    eligible = reach.eligible(subtrees, aliased)
    missing = count[0] - sum(position.is_leaf for position in eligible)
    if missing > 0 and extend and not (count[0] == 1 and eligible):
        scope.rebind(tree, f"[{tree}, {', '.join([_NEIGHBOUR] * missing)}]")
        reach = SelectorText(scope, tree, is_leaf, positions)
        eligible = reach.eligible(subtrees, aliased)
    if not eligible:
        reject()
    leaf_count = sum(position.is_leaf for position in eligible)
    number = draw(st.integers(*count))
    number = max(1, min(number, leaf_count))
    form = _FORMS[draw(_form_index)]
    if number > 1:
        form = form or "tuple"
    targets = _draw_targets(draw, eligible, number)
    texts = [reach.draw_text(draw, position) for position in targets]
    for position in targets:
        scope.note("where:leaf" if position.is_leaf else "where:subtree")
        scope.note(*_features(position))
    scope.note(*(["where:several"] if number > 1 else []), *([f"where:{form}"] if form else []))
    return Where(scope.bind("where", f"lambda tree: {_joined(form, texts)}"), form, tuple(targets))


def _check_count(count: tuple[int, int]) -> None:
    least, greatest = count
    if not 1 <= least <= greatest:
        raise ValueError(
            f"count must be (least, greatest) with 1 <= least <= greatest, got {count}"
        )


def _draw_targets(draw: st.DrawFn, eligible: Sequence[Position], number: int) -> list[Position]:
    """Draw disjoint positions, never one that leaves too few leaves for the rest."""
    targets: list[Position] = []
    # `None` and aliased objects are rare in trees: half of the table is theirs where there are any.
    rare = [position for position in eligible if position.node is None or position.aliased]
    free = [*eligible, *rare * (len(eligible) // max(1, len(rare)))]
    for needed in range(number - 1, -1, -1):
        leaves = {position for position in free if position.is_leaf}
        table = [
            position
            for position in free
            if not needed or sum(not position.overlaps(leaf) for leaf in leaves) >= needed
        ]
        chosen = table[draw(st.integers(0, len(table) - 1))]
        targets.append(chosen)
        free = [position for position in free if not position.overlaps(chosen)]
    return targets


def _features(position: Position) -> list[str]:
    kinds = {
        "where:aliased": position.aliased,
        "where:none": position.node is None,
        "where:root": position.order == 0,
        "where:empty": not position.is_leaf and position.end == position.order + 1,
    }
    return [name for name, holds in kinds.items() if holds]


def _joined(form: str, texts: Sequence[str]) -> str:
    if not form:
        return texts[0]
    if form == "list":
        return f"[{', '.join(texts)}]"
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"


@st.composite
def selections(
    draw: st.DrawFn,
    trees: st.SearchStrategy[Recipe] | None = None,
    *,
    count: tuple[int, int] = (1, 3),
    subtrees: bool = True,
    none: bool = True,
    aliased: bool = True,
    positions: bool = True,
    surround: bool = True,
) -> Recipe:
    """Draw a tree and a `where` selector for it, as `eqx.tree_at` takes them.

    The recipe binds `tree`, `is_leaf` (`None` or a predicate for `eqx.tree_at`) and `where`, which
    returns one node, or a tuple or list of pairwise disjoint nodes. Features say what was drawn:
    `where:attribute` or `where:position` (how), `where:leaf`, `where:subtree`, `where:root`,
    `where:none`, `where:empty` (what), `where:aliased` (the object stands elsewhere too),
    `where:several`, `where:tuple`, `where:list` (how many) and `where:position-after-empty-tuple`.
    A tree with too few targets is put into a list beside new leaves.

    Args:
        trees: strategy of the tree's recipe; default `hypothesis_pytrees.trees()`.
        count: least and greatest number of targets, at least 1; default `(1, 3)`.
        subtrees: also select inner nodes, the root included; default `True`.
        none: also select `None`, which `is_leaf` then makes a leaf; default `True`.
        aliased: also select objects that stand at several positions; default `True`.
        positions: also select by leaf position; default `True`. Such a selector reaches another
            position once a leaf before it is replaced by a subtree.
        surround: put some trees into a list, beside `None`, `()` or themselves; default `True`.

    Raises:
        ValueError: `count` is not a pair of bounds from 1 up.

    Source: https://docs.kidger.site/equinox/api/manipulation/#equinox.tree_at
    """
    _check_count(count)
    scope = Scope()
    draw_selection(
        draw,
        scope,
        bind_tree(draw, scope, trees),
        count=count,
        subtrees=subtrees,
        none=none,
        aliased=aliased,
        positions=positions,
        surround=surround,
    )
    return scope.recipe()


def draw_selection(
    draw: st.DrawFn,
    scope: Scope,
    tree: str = "tree",
    *,
    none: bool = True,
    aliased: bool = True,
    surround: bool = True,
    **options: Any,
) -> Where:
    """Draw `is_leaf` and `where` for a tree and bind both; options as in `selections`."""
    table = [
        row
        for row in _SURROUNDINGS
        if (none or not row.none) and (aliased or not row.aliased) and (surround or not row.text)
    ]
    row = table[draw(st.integers(0, len(table) - 1))]
    if row.text:
        scope.rebind(tree, row.text.replace("$tree", tree))
        scope.note(*row.features)
    predicate = draw_is_leaf(draw, scope, tree, kinds=("none",)) if row.none else None
    if predicate is None:
        scope.bind("is_leaf", "None")
    return draw_where(draw, scope, tree, is_leaf=predicate, aliased=aliased, extend=True, **options)
