"""trees(): the one recursion, every kind of node nested in every other."""

from __future__ import annotations

import contextlib
import contextvars
import copy
import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterator, Sequence

from hypothesis import reject, strategies as st

from hypothesis_pytrees.classes.grammar.writing import Grown
from hypothesis_pytrees.classes.layers import LAYERS
from hypothesis_pytrees.classes.modules import MODULES
from hypothesis_pytrees.core import prior_operations
from hypothesis_pytrees.core.availability import available, refusals, usable
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import kinds_of, leaves as any_leaf
from hypothesis_pytrees.nodes.nodes import NODES

from .containers import CONTAINERS

# Every kind of inner node, whether the installed libraries take it or not.
EVERY_KIND: tuple[Kind, ...] = (
    *CONTAINERS,
    *NODES,
    *MODULES,
    *(kind for kind in LAYERS if "layer:slow" not in kind.features),
)
_ALIAS_LEAF = Kind("alias-leaf", "")
_ALIAS_NODE = Kind("alias-node", "")
_DRAWN_LEAF = Kind("leaf", "")
_MAX_DEPTH = 4
# Whether a class keeps one of its traits: the least number leaves it out. Hypothesis draws small
# numbers and powers of two more often than others.
_LEFT_OUT = 1009
_KEPT = st.integers(_LEFT_OUT, _LEFT_OUT + 255)
# Trees drawn in place of one that a constructor rejects, before the example is given up.
_REDRAWS = 4
# Features that only such leaves have all of.
_ANY_LEAF = frozenset({"leaf-is:object", "leaf-is:python"})
_ANY_ARRAY = frozenset({"leaf:int32", "leaf:nan"})


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


def _even(kinds: tuple[Kind, ...]) -> tuple[Kind, ...]:
    """Repeat the kinds of small families, so that a large one does not crowd them out."""
    families: dict[str, list[Kind]] = {}
    for kind in dict.fromkeys(kinds):
        families.setdefault(kind.name, []).append(kind)
    share = max(map(len, families.values()), default=0) // 4
    repeats = (family * (share // len(family) - 1) for family in families.values())
    return (*kinds, *itertools.chain.from_iterable(repeats))


@dataclasses.dataclass(frozen=True)
class _Table:
    """The table that nodes are drawn from: kinds, and strategies of indices into them."""

    kinds: tuple[Kind, ...]
    leaf_kinds: tuple[Kind, ...]
    root: st.SearchStrategy[int]
    inner: st.SearchStrategy[int]
    leaf: st.SearchStrategy[int]


@functools.cache
def _table(kinds: tuple[Kind, ...], leaf_kinds: tuple[Kind, ...], alias: bool) -> _Table:
    """Lay out the drawing table.

    Leaves first, since draws shrink to entry 0; then the kinds, at the same index for the root as
    for every other node, or no subtree could replace its parent during shrinking. A bare leaf is
    a rare tree, so further copies of the leaves come behind: three tenths in all.
    """
    inner = _even(kinds)
    front = (*leaf_kinds, *inner)
    copies = max(1, round(0.4 * len(inner) / len(leaf_kinds)))
    aliases = (_ALIAS_LEAF, _ALIAS_NODE) * max(1, len(inner) // 12) if alias else ()
    table = (*front, *leaf_kinds * (copies - 1), *aliases)
    indices = (st.integers(0, len(part) - 1) for part in (front, table, leaf_kinds))
    return _Table(table, leaf_kinds, *indices)


class _Growth:
    """One tree while it grows: what is left of the leaf budget, and what can be aliased."""

    def __init__(
        self, draw: st.DrawFn, table: _Table, leaves: st.SearchStrategy[Recipe], max_leaves: int
    ) -> None:
        self._draw = draw
        self._table = table
        self._leaves = leaves
        self._budget = max_leaves
        self._leaf_nodes: list[_Node] = []
        self._inner_nodes: list[_Node] = []

    @property
    def picky(self) -> bool:
        """Whether a constructor may reject the children of a node drawn so far."""
        return any(node.kind.picky for node in self._inner_nodes)

    def grow(self, depth: int = 0) -> _Node:
        table = self._table
        if self._budget <= 1 or depth >= _MAX_DEPTH:
            return self._leaf(table.leaf_kinds[self._draw(table.leaf)])
        kind = table.kinds[self._draw(table.inner if depth else table.root)]
        if kind is _ALIAS_LEAF and self._leaf_nodes:
            return self._leaf_nodes[-1]
        if kind is _ALIAS_NODE and self._inner_nodes:
            return self._inner_nodes[-1]
        if kind in (_ALIAS_LEAF, _ALIAS_NODE):
            kind = table.leaf_kinds[0]
        return self._leaf(kind) if kind.name == "leaf" else self.node(kind, depth)

    def node(self, kind: Kind, depth: int = 0, *, keeps: frozenset[str] = frozenset()) -> _Node:
        if isinstance(kind, Grown) and kind.parts > 2:
            # Nearly always the whole class; its parts are there to shrink to. A class of one trait
            # stays whole, since Hypothesis removes few choices at once.
            part = kind.part([self._draw(_KEPT) > _LEFT_OUT for _ in range(kind.parts)])
            kind = part if keeps.issubset(part.features) else kind
        kind = that_builds(kind)
        if not keeps.issubset(kind.features):
            reject()
        children = tuple(self._child(kind, depth) for _ in range(kind.arity))
        if not children:
            # Hypothesis prefers fewer draws: without this one a big layer would be "simpler"
            # than `[leaf]`, and witnesses would shrink to it.
            self._draw(self._table.leaf)
        node = _Node(kind, children)
        self._inner_nodes.append(node)
        return node

    def _child(self, kind: Kind, depth: int) -> _Node:
        if not kind.takes:
            return self.grow(depth + 1)
        fit = [leaf for leaf in self._table.leaf_kinds if f"leaf-is:{kind.takes}" in leaf.features]
        # Every table of a law that such a node is mixed into has some, or draws its own leaves.
        return self._leaf(self._draw(_sampled(tuple(fit or self._table.leaf_kinds))))

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
    """Draw a tree into a scope that other draws share and return its expression.

    Args:
        leaves: strategy of leaf recipes; default `hypothesis_pytrees.leaves()`.
        kinds: the kinds of inner nodes; default every kind.
        roots: the kinds that the root is drawn from; default leaves and `kinds` alike.
        max_leaves: leaf budget, at least 1; an inner node may exceed it by its own children.
        alias: let the same leaf and the same subtree occur twice.
    """
    if max_leaves < 1:
        raise ValueError(f"max_leaves must be at least 1, got {max_leaves}")
    if roots is not None and not roots:
        raise ValueError("roots is empty; give at least one kind, or None for any root")
    leaves = any_leaf() if leaves is None else leaves
    leaf_kinds = kinds_of(leaves) or (_DRAWN_LEAF,)
    inner = _taken(tuple(kinds)) if kinds is not None else _mixture(leaf_kinds)
    table = _table(inner, leaf_kinds, alias)
    for _ in range(_REDRAWS):
        growth = _Growth(draw, table, leaves, max_leaves)
        if roots is None:
            root = growth.grow()
        else:
            given = tuple(roots)
            root = growth.node(draw(_sampled(_taken(given))), keeps=_common(given))
        if not growth.picky:
            return _write(scope, root)
        trial = copy.deepcopy(scope)
        expression = _write(trial, root)
        if _builds(trial, expression):
            vars(scope).update(vars(trial))
            return expression
    return reject()


def _builds(scope: Scope, expression: str) -> bool:
    try:
        scope.value(expression)
    except Exception:
        # A constructor may reject its children with any error: such a tree is not an input.
        return False
    return True


@functools.cache
def _taken(kinds: tuple[Kind, ...]) -> tuple[Kind, ...]:
    """Return the kinds that the installed releases support."""
    found = _usable_when_drawn(kinds)
    if kinds and not found:
        kind, reason = next(iter(refusals(kinds).items()))
        raise RuntimeError(f"no kind of {kind.name} can be built here: {reason}") from reason
    return found


@functools.cache
def _common(kinds: tuple[Kind, ...]) -> frozenset[str]:
    """Return the features of all kinds: a caller that gives such roots wants roots with them."""
    return frozenset.intersection(*(frozenset(kind.features) for kind in kinds))


@functools.cache
def _sampled(kinds: tuple[Kind, ...]) -> st.SearchStrategy[Kind]:
    return st.sampled_from(kinds)


@functools.cache
def every_kind() -> tuple[Kind, ...]:
    """Return every kind of inner node that the installed libraries support."""
    return _usable_when_drawn(EVERY_KIND)


def that_builds(kind: Kind) -> Kind:
    """Return a drawn kind; a class of a grammar that does not build here loses its traits.

    The law that builds documented classes reports it.

    Args:
        kind: one of `every_kind()`.
    """
    if isinstance(kind, Grown) and not usable((kind,)):
        return kind.part([False] * kind.parts)
    return kind


def _usable_when_drawn(kinds: tuple[Kind, ...]) -> tuple[Kind, ...]:
    """Return the kinds that build; classes of grammars are built when they are drawn.

    There are hundreds of these, and few laws draw them all.
    """
    return tuple(kind for kind in available(kinds) if isinstance(kind, Grown) or usable((kind,)))


@dataclasses.dataclass
class MixedIn:
    """The kinds that trees hold, too.

    Args:
        kinds: the kinds.
        asked: whether any tree that can hold other kinds was drawn so far.
        fitted: whether one of them could have been drawn in some tree so far.
    """

    kinds: tuple[Kind, ...]
    asked: bool = False
    fitted: bool = False


_mixed: contextvars.ContextVar[MixedIn | None] = contextvars.ContextVar("mixed", default=None)


@contextlib.contextmanager
def mixed_in(kinds: Sequence[Kind]) -> Iterator[MixedIn]:
    """Let trees of every kind hold these kinds, too, a third of their nodes.

    Args:
        kinds: kinds of a user's node; one is only drawn in place of leaves like those that it
            `holds`. If they are unknown and it has no children, it is only drawn in place of any
            leaf, or of any array if it `takes` arrays.
    """
    found = MixedIn(tuple(kinds))
    token = _mixed.set(found)
    try:
        yield found
    finally:
        _mixed.reset(token)


def kinds_mixed_in(fits: Callable[[Kind], bool]) -> tuple[Kind, ...]:
    """Return the kinds of the innermost `mixed_in` that fit."""
    found = _mixed.get()
    if found is None:
        return ()
    found.asked = True
    fitting = tuple(filter(fits, found.kinds))
    found.fitted = found.fitted or bool(fitting)
    return fitting


def _mixture(leaf_kinds: tuple[Kind, ...]) -> tuple[Kind, ...]:
    """Return every kind, and those of `mixed_in` that fit these leaves."""
    every, more = every_kind(), _fitting(leaf_kinds)
    # Small families are repeated, which makes the table larger by half.
    return (*every, *more * (len(every) // len(more))) if more else every


def _fitting(leaf_kinds: tuple[Kind, ...]) -> tuple[Kind, ...]:
    tags = {feature for kind in leaf_kinds for feature in kind.features}

    def fits(kind: Kind) -> bool:
        if kind.holds is not None and not kind.holds <= tags:
            return False
        if kind.arity or kind.holds is not None:
            return not kind.arity or not kind.takes or f"leaf-is:{kind.takes}" in tags
        # Its leaves are unknown: the law must take any leaf, or any array.
        return (_ANY_ARRAY if kind.takes == "array" else _ANY_LEAF) <= tags

    return kinds_mixed_in(fits)


@st.composite
def or_mixed_in(
    draw: st.DrawFn, values: st.SearchStrategy[Recipe], leaves: st.SearchStrategy[Recipe]
) -> Recipe:
    """Draw from a strategy; under `mixed_in`, one of its kinds a third of the time.

    Args:
        values: the strategy.
        leaves: what the leaves of such a node are drawn from, one of `hypothesis_pytrees.leaves`.
    """
    roots = _fitting(kinds_of(leaves) or (_DRAWN_LEAF,))
    if not roots or draw(st.integers(0, 2)) < 2:
        return draw(values)
    node = draw(trees(leaves, kinds=CONTAINERS, roots=roots, max_leaves=3, alias=False))
    return dataclasses.replace(node, features=node.features | {"value:tree"})


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
        alias: let the same leaf and the same subtree occur twice; default `True`.
        history: draw a prior operation on the tree (copy, pickle, a map); default `False`.

    Raises:
        ValueError: `max_leaves` is below 1, or `roots` is empty.
        RuntimeError: the installed releases support none of `kinds` or of `roots`.
    """
    scope = Scope()
    expression = draw_tree(
        draw, scope, leaves=leaves, kinds=kinds, roots=roots, max_leaves=max_leaves, alias=alias
    )
    if history:
        expression = scope.bind("tree", expression)
        prior_operations.apply(draw, scope, expression)
    return scope.recipe(expression)
