"""Cases of `tree_at`: a tree, a selector, replacements, and the positions of the targets."""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax.tree_util as jtu
from hypothesis import reject, strategies as st

from hypothesis_pytrees import Kind, Recipe, leaves, trees
from hypothesis_pytrees.core.recipe import Scope
from hypothesis_pytrees.leaves.leaves import EVERY, pool, recipe_of
from hypothesis_pytrees.trees.positions import Position, bind_tree, names_of, positions_of
from hypothesis_pytrees.trees.replacements import draw_replace
from hypothesis_pytrees.trees.selectors import Where, draw_selection
from hypothesis_pytrees.trees.trees import every_kind

# A leaf that a careless check for `()` confuses with the empty tuple.
_SHAPE = Kind(
    "leaf",
    "Shape()",
    ("class Shape(tuple):\n    pass\n",),
    ("leaf:empty-tuple-subclass", "leaf-is:object"),
)
ANY_LEAF = pool((*EVERY, _SHAPE))
_LEAF = jtu.tree_structure(0)
_FLAGS = tuple(recipe_of(kind) for kind in EVERY if kind.template in ("1", "True", "''"))


@functools.cache
def any_tree() -> st.SearchStrategy[Recipe]:
    """Draw a tree of any kind with any history; its leaves may raise on any access."""
    return trees(ANY_LEAF, history=True)


@functools.cache
def monotonous_tree() -> st.SearchStrategy[Recipe]:
    """Draw a tree in which every leaf is one of a few interned objects."""
    return trees(st.sampled_from(_FLAGS), history=True)


def draw_target(
    draw: st.DrawFn,
    scope: Scope,
    strategy: st.SearchStrategy[Recipe] | None = None,
    **options: Any,
) -> Where:
    """Draw a tree and a selector and bind them.

    Binds `tree`, `is_leaf`, `where`, `many` (whether `where` returns a sequence of targets) and
    `places` (the targets' positions, counted in pre-order from the root, 0).
    """
    tree = bind_tree(draw, scope, any_tree() if strategy is None else strategy)
    where = draw_selection(draw, scope, tree, **options)
    scope.bind("many", str(bool(where.form)))
    scope.bind("places", repr(tuple(target.order for target in where.targets)))
    names = names_of(scope)
    every = _keyed_places(names["tree"], names["is_leaf"])
    if any(_is_empty_tuple(place.node) for place in every):
        scope.note("holds:empty-tuple")
    again = positions_of(names["tree"], names["is_leaf"])
    for target in where.targets:
        if _is_out_of_reach(every, target, again[target.order].node):
            reject()
        inside = every[target.order : target.end]
        if any(_is_empty_tuple(place.node) for place in inside):
            scope.note("target-holds:empty-tuple")
    return where


def _keyed_places(tree: Any, is_leaf: Callable[[Any], Any] | None = None) -> list[Position]:
    """Return every place of a tree; reject the tree if keys lead to the wrong children.

    Before 0.4.36 JAX sorts the children of a defaultdict by key, but lists the keys in order of
    insertion, so a key may lead to another child; if both are one object, nothing shows it.
    Source: https://github.com/jax-ml/jax/pull/20423
    """
    every = positions_of(tree, is_leaf)
    for table in (place.node for place in every):
        if isinstance(table, collections.defaultdict):
            numbered = collections.defaultdict(None, zip(table, range(len(table)), strict=True))
            keyed = jtu.tree_flatten_with_path(numbered)[0]
            if any(numbered[path[0].key] != leaf for path, leaf in keyed):
                reject()
    return every


def _is_out_of_reach(every: Sequence[Position], target: Position, again: Any) -> bool:
    """Return whether no selector can select a place, or no other value can replace it.

    Selectors select objects. They cannot select a container that each flatten builds again, nor
    one of several places of an object that its unflatten returns itself, as
    `jax.tree_util.register_static` does. The arguments of a Partial must stay iterable.
    Source: https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/_tree.py#L137-L153
    """
    if again is not target.node:
        return True
    if not target.is_leaf and target.aliased and not _is_empty_tuple(target.node):
        inside, treedef = jtu.tree_flatten(target.node)
        if jtu.tree_unflatten(treedef, inside) is target.node:
            return True
    partials = [place for place in every if type(place.node) is jtu.Partial]
    return any(_holds(every, place, target) for place in partials)


def _holds(every: Sequence[Position], parent: Position, child: Position) -> bool:
    """Return whether one place is a child of another."""
    if not parent.order < child.order < parent.end:
        return False
    between = every[parent.order + 1 : child.order]
    return not any(place.order < child.order < place.end for place in between)


def _is_empty_tuple(node: Any) -> bool:
    return isinstance(node, tuple) and not hasattr(node, "_fields") and len(node) == 0


@st.composite
def targets(
    draw: st.DrawFn, trees: st.SearchStrategy[Recipe] | None = None, **options: Any
) -> Recipe:
    """Draw a tree and a selector; options as in `hypothesis_pytrees.trees.selectors.selections`."""
    scope = Scope()
    draw_target(draw, scope, trees, **options)
    return scope.recipe()


@st.composite
def edits(
    draw: st.DrawFn, trees: st.SearchStrategy[Recipe] | None = None, **options: Any
) -> Recipe:
    """Draw what `targets` draws, and as many values of any type, bound to `replace`."""
    scope = Scope()
    draw_replace(draw, scope, draw_target(draw, scope, trees, **options))
    return scope.recipe()


@st.composite
def lasting_edits(draw: st.DrawFn, least: int = 1) -> Recipe:
    """Draw an edit after which the selector still selects its targets; `other` is a second edit.

    A selector by position would miss its target after an edit that changes the number of leaves
    before it, so it gets only leaves as replacements.

    Args:
        least: minimum number of targets, 1 or 2; default 1.
    """
    scope = Scope()
    subtrees = least == 1 and draw(st.booleans())
    where = draw_target(draw, scope, count=(1, 1) if subtrees else (least, 3), subtrees=subtrees)
    by_position = not subtrees or "where:position" in scope.features
    for name in ("replace", "other"):
        scope.bind(name, _values(draw, scope, where, by_position))
    return scope.recipe()


def _values(draw: st.DrawFn, scope: Scope, where: Where, leaf: bool) -> str:
    texts = []
    for _ in where.targets:
        if leaf or draw(st.booleans()):
            texts.append(scope.include(draw(ANY_LEAF)))
        else:
            texts.append(f"[{scope.include(draw(trees(max_leaves=3)))}]")
    joined = ", ".join(texts)
    return {"": texts[0], "list": f"[{joined}]", "tuple": f"({joined},)"}[where.form]


@st.composite
def nones(draw: st.DrawFn) -> Recipe:
    """Draw a tree that holds `None` several times, and the `index` of the one to replace."""
    scope = Scope()
    count = draw(st.integers(1, 3))
    tree = bind_tree(draw, scope, any_tree())
    scope.rebind(tree, f"[{'None, ' * count}{tree}]")
    index = scope.bind("index", str(draw(st.integers(0, count - 1))))
    scope.bind("is_leaf", "lambda node: node is None")
    scope.bind("many", "False")
    scope.bind("places", f"(1 + {index},)")
    scope.bind("replace", draw(ANY_LEAF))
    return scope.recipe()


@st.composite
def twins(draw: st.DrawFn) -> Recipe:
    """Draw a list in which one object occurs several times, and the `index` of one of them."""
    scope = Scope()
    part = scope.bind("part", draw(st.one_of(ANY_LEAF, _nodes())))
    count = draw(st.integers(2, 3))
    scope.bind("tree", f"[{', '.join([part] * count)}]")
    scope.bind("index", str(draw(st.integers(0, count - 1))))
    return scope.recipe()


@functools.cache
def _nodes() -> st.SearchStrategy[Recipe]:
    roots = [kind for kind in every_kind() if kind.name not in ("None", "register_static")]
    return trees(roots=roots, max_leaves=3)


@st.composite
def both_ways(draw: st.DrawFn) -> Recipe:
    """Draw a tree and two selectors of one of its leaves: by path and by position."""
    scope = Scope()
    scope.rebind(bind_tree(draw, scope, any_tree()), "[tree, 1.5]")
    found = [place for place in _keyed_places(names_of(scope)["tree"]) if place.is_leaf]
    place = draw(st.sampled_from([place for place in found if place.access is not None]))
    if place.after_empty_tuple:
        scope.note("where:position-after-empty-tuple")
    scope.bind("by_path", f"lambda tree: tree{place.access}")
    scope.bind("by_position", f"lambda tree: jtu.tree_leaves(tree)[{place.leaf_order}]")
    scope.bind("replace", draw(ANY_LEAF))
    return scope.recipe()


_LOG = "CONSTRUCTIONS = []\n"
_LOGGING = {
    "LoggedInit": """\
class LoggedInit(eqx.Module):
    x: typing.Any
    y: typing.Any

    def __init__(self, x, y):
        CONSTRUCTIONS.append('__init__')
        self.x, self.y = x, y
""",
    "LoggedPostInit": """\
class LoggedPostInit(eqx.Module):
    x: typing.Any
    y: typing.Any

    def __post_init__(self):
        CONSTRUCTIONS.append('__post_init__')
""",
    "LoggedCheckInit": """\
class LoggedCheckInit(eqx.Module):
    x: typing.Any
    y: typing.Any

    def __check_init__(self):
        CONSTRUCTIONS.append('__check_init__')
""",
}


@st.composite
def logged_modules(draw: st.DrawFn) -> Recipe:
    """Draw a tree with a Module whose constructor writes into the list `log`."""
    scope = Scope()
    name = draw(st.sampled_from(list(_LOGGING)))
    scope.define(_LOG, _LOGGING[name])
    inner = scope.include(draw(trees(max_leaves=3)))
    scope.bind("tree", f"[{name}({inner}, 1.0), 2.0]")
    scope.bind("log", "CONSTRUCTIONS")
    target = draw(st.sampled_from(["tree[0].x", "tree[0].y", "tree[1]", "tree"]))
    scope.bind("where", f"lambda tree: {target}")
    return scope.recipe()


def listed(case: Any, value: Any) -> list[Any]:
    """Return targets or replacements as a list, also if there is only one."""
    return list(value) if case.many else [value]


def exchanged(
    tree: Any, values: Mapping[int, Any], is_leaf: Callable[[Any], Any] | None = None
) -> Any:
    """Rebuild a tree level by level, with the given nodes at some pre-order positions."""
    count = 0

    def rebuild(node: Any) -> Any:
        nonlocal count
        order, count = count, count + 1
        if is_leaf is None or not is_leaf(node):
            children, level = jtu.tree_flatten(node, is_leaf=lambda inner: inner is not node)
            if level != _LEAF:
                node = jtu.tree_unflatten(level, [rebuild(child) for child in children])
        return values.get(order, node)

    return rebuild(tree)


def replaced(case: Any) -> Any:
    """Return the expected result of `tree_at(where, tree, replace)`, built without a selector."""
    values = dict(zip(case.places, listed(case, case.replace), strict=True))
    return exchanged(case.tree, values, case.is_leaf)


def attributes_of(tree: Any) -> list[list[str]]:
    """Return the names of the attributes of each node."""
    nodes: list[Any] = []
    jtu.tree_flatten(tree, is_leaf=lambda node: nodes.append(node) is not None)
    return [sorted(getattr(node, "__dict__", ())) for node in nodes]


_MODE = """\
@jtu.register_static
class StaticMode(enum.Enum):
    FAST = 1
"""


@st.composite
def singletons(draw: st.DrawFn) -> Recipe:
    """Draw a tree that holds a singleton twice: every unflatten returns the same object.

    `index` is the index of one of the two places.
    """
    scope = Scope()
    scope.define(_MODE)
    part = draw(st.sampled_from(["None", "StaticMode.FAST"]))
    tree = bind_tree(draw, scope, any_tree())
    scope.rebind(tree, f"[{part}, {part}, {tree}]")
    scope.bind("index", str(draw(st.integers(0, 1))))
    return scope.recipe()


# Conditions on a leaf, leaves that meet them, and leaves that do not.
_CONDITIONS = (
    ("type({leaf}) is int", ("1", "10**30", "-7"), ("'a'", "2.5", "None")),
    ("isinstance({leaf}, str)", ("'a'", "''"), ("1", "object()")),
    ("eqx.is_array({leaf})", ("jnp.asarray(1.0)", "np.float32([1.0])"), ("1", "'a'")),
    ("callable({leaf})", ("math.sin", "int"), ("1", "'a'")),
    ("{leaf} == 1", ("1", "1.0", "True"), ("2", "'a'")),
)


@st.composite
def leaf_dependent(draw: st.DrawFn) -> Recipe:
    """Draw a tree and a selector that chooses by the type or the value of leaves."""
    scope = Scope()
    condition, meeting, failing = draw(st.sampled_from(_CONDITIONS))
    tree = bind_tree(draw, scope, trees(max_leaves=3, history=True))
    yes, no = draw(st.sampled_from(meeting)), draw(st.sampled_from(failing))
    scope.rebind(tree, f"[{yes}, {no}, {tree}]")
    meets = condition.format
    where = (
        f"tree[0] if {meets(leaf='tree[0]')} else tree[1]",
        f"tuple(leaf for leaf in tree[:2] if {meets(leaf='leaf')})",
        f"[leaf for leaf in jtu.tree_leaves(tree[:2]) if {meets(leaf='leaf')}]",
    )
    scope.bind("where", f"lambda tree: {draw(st.sampled_from(where))}")
    return scope.recipe()


@st.composite
def strangers(draw: st.DrawFn) -> Recipe:
    """Draw a tree and a selector that returns something outside of the tree."""
    scope = Scope()
    tree = bind_tree(draw, scope, trees(max_leaves=3, history=True))
    scope.rebind(tree, f"[{tree}, 1.5]")
    # The error message prints it.
    scope.bind("stranger", draw(st.one_of(leaves(), _nodes())))
    where, replace = draw(
        st.sampled_from(
            (
                ("stranger", "'new'"),
                ("(tree[1], stranger)", "('new', 'new')"),
                ("[[tree[1]]]", "['new']"),
                ("({'a': tree[1]},)", "['new']"),
            )
        )
    )
    scope.bind("where", f"lambda tree: {where}")
    scope.bind("replace", replace)
    return scope.recipe()


@st.composite
def ancestors(draw: st.DrawFn) -> Recipe:
    """Draw a tree and a selector of one of its nodes and of a leaf or node inside that node."""
    scope = Scope()
    tree = bind_tree(draw, scope, any_tree())
    scope.rebind(tree, f"[{{'a': [{tree}]}}, 1.5]")
    every = positions_of(names_of(scope)[tree])
    reached = [place for place in every if place.access is not None and place.node is not None]
    outer = draw(st.sampled_from([place for place in reached if _below(reached, place)]))
    inner = draw(st.sampled_from(_below(reached, outer)))
    pair = draw(st.permutations([f"tree{outer.access}", f"tree{inner.access}"]))
    scope.bind("where", f"lambda tree: ({', '.join(pair)})")
    return scope.recipe()


def _below(places: Sequence[Position], outer: Position) -> list[Position]:
    return [place for place in places if outer.order < place.order < outer.end]
