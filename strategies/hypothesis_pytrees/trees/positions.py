"""Positions of a tree, of leaves and inner nodes, and the text that accesses each."""

from __future__ import annotations

import collections
import dataclasses
import functools
import keyword
import sys
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax.tree_util as jtu
from hypothesis import reject, strategies as st

from hypothesis_pytrees.core.prior_operations import has_prior_operation
from hypothesis_pytrees.core.recipe import IMPORTS, RECIPE_FILE, Recipe, Scope, imported_names

from .trees import trees

_BUILTIN = (list, dict, tuple)
_COLLECTIONS = (collections.OrderedDict, collections.defaultdict)
# Where recipe text finds a library's public classes.
_PUBLIC = {"jax.tree_util": "jtu", "equinox.nn": "eqx.nn"}
_MISSING = object()
_RUNS: weakref.WeakKeyDictionary[Scope, tuple[Recipe, dict[str, Any]]] = weakref.WeakKeyDictionary()


@dataclasses.dataclass(eq=False)
class Position:
    """One position of a tree.

    Args:
        node: the leaf or inner node that stands there.
        access: text that follows the name of the tree, for example `".x[0]['a']"`, or `None` where
            no attribute, index or key leads there.
        is_leaf: whether it is a leaf.
        route: index of the child at each node on the way from the root.
        order: its position in pre-order; `end` is that of the first position behind its inside.
        leaf_order: number of leaves before it.
        aliased: whether the same object stands at another position too.
        after_empty_tuple: whether an empty tuple stands before it.
    """

    node: Any
    access: str | None
    route: tuple[int, ...]
    is_leaf: bool
    order: int
    leaf_order: int
    end: int = 0
    aliased: bool = False
    after_empty_tuple: bool = False

    def overlaps(self, other: Position) -> bool:
        """Return whether one position is the other or lies inside it."""
        return self.order < other.end and other.order < self.end


def bind_tree(draw: st.DrawFn, scope: Scope, strategy: st.SearchStrategy[Recipe] | None) -> str:
    """Draw a tree from a strategy of recipes, `trees()` by default, bind it and give its name."""
    expression = scope.include(draw(_default_trees() if strategy is None else strategy))
    # A recipe with a history has bound its tree itself.
    return expression if expression == "tree" else scope.bind("tree", expression)


@functools.cache
def _default_trees() -> st.SearchStrategy[Recipe]:
    return trees()


def names_of(scope: Scope) -> dict[str, Any]:
    """Return every name that the text so far binds; only new text is executed.

    A tree that fails in its prior operation, such as a pickle, is rejected.
    """
    try:
        return _names_of(scope)
    except Exception:
        # A library may raise any error; the laws about copies and pickles report it.
        if has_prior_operation(scope.features):
            reject()
        raise


def _names_of(scope: Scope) -> dict[str, Any]:
    recipe = scope.recipe()
    done, names = _RUNS.get(scope, (Recipe(), {}))
    count = len(done.statements)
    if done.definitions != recipe.definitions or done.statements != recipe.statements[:count]:
        names = recipe.run()
    elif len(recipe.statements) > count:
        text = "\n".join(recipe.statements[count:])
        text = "\n".join([*(IMPORTS[name] for name in imported_names(text)), text])
        exec(compile(text, RECIPE_FILE, "exec", dont_inherit=True), names)
    _RUNS[scope] = recipe, names
    return names


def predicate_of(scope: Scope, condition: str) -> Callable[[Any], bool]:
    """Return the function of `node` that a condition over the bound names stands for."""
    names = names_of(scope)
    for name in imported_names(condition):
        if name not in names:
            exec(IMPORTS[name], names)
    return eval(f"lambda node: {condition}", names)


def positions_of(tree: Any, is_leaf: Callable[[Any], Any] | None = None) -> list[Position]:
    """Return every position of a tree in pre-order, the root first.

    Args:
        is_leaf: as in `jax.tree_util.tree_flatten`; `None` nodes are inner nodes without it.
    """
    found: list[Position] = []
    occurrences: dict[int, int] = {}
    leaf_count = 0
    empty_tuple_at: int | None = None

    def visit(node: Any, access: str | None, route: tuple[int, ...]) -> None:
        nonlocal leaf_count, empty_tuple_at
        position = Position(node, access, route, False, len(found), leaf_count)
        position.after_empty_tuple = empty_tuple_at is not None
        found.append(position)
        occurrences[id(node)] = occurrences.get(id(node), 0) + 1
        if _is_empty_tuple(node):
            empty_tuple_at = position.order
        children = None if is_leaf is not None and is_leaf(node) else _children(node)
        if children is None:
            position.is_leaf = True
            leaf_count += 1
        else:
            for index, (key, child) in enumerate(children):
                step = None if access is None else _step(node, key, child)
                visit(child, None if step is None else f"{access}{step}", (*route, index))
        position.end = len(found)

    visit(tree, "", ())
    for position in found:
        position.aliased = occurrences[id(position.node)] > 1
    return found


def type_text(position: Position, tree: str) -> str | None:
    """Write the type of a node: by its name where recipe text knows it, else through the tree."""
    kind = type(position.node)
    if kind in _BUILTIN:
        return kind.__name__
    if kind in _COLLECTIONS:
        return f"collections.{kind.__name__}"
    module = sys.modules.get(kind.__module__)
    generated = kind.__module__.startswith("hypothesis_pytrees.generated")
    if generated and getattr(module, kind.__qualname__, None) is kind:
        return kind.__name__
    for public, alias in _PUBLIC.items():
        if getattr(sys.modules.get(public), kind.__name__, None) is kind:
            return f"{alias}.{kind.__name__}"
    return None if position.access is None else f"type({tree}{position.access})"


def present_types(positions: Sequence[Position], tree: str) -> list[str]:
    """Return the texts of the types of the inner nodes that are present, without `None`."""
    texts = (type_text(position, tree) for position in positions if _is_inner(position))
    return list(dict.fromkeys(text for text in texts if text is not None))


def present_nodes(positions: Sequence[Position], tree: str) -> list[str]:
    """Return the texts of the inner nodes that text can reach, without `None`."""
    return [
        f"{tree}{position.access}"
        for position in positions
        if _is_inner(position) and position.access is not None
    ]


def _is_inner(position: Position) -> bool:
    return not position.is_leaf and position.node is not None


def _children(node: Any) -> Sequence[tuple[Any, Any]] | None:
    """Return the children of a node with their keys, one level down, or `None` for a leaf."""
    is_leaf = lambda inner: inner is not node
    try:
        flat, _ = jtu.tree_flatten_with_path(node, is_leaf=is_leaf)
    except TypeError:
        # JAX 0.4.35 compares the aux data of a namedtuple with its class, which a treedef refuses.
        return [(None, child) for child in jtu.tree_leaves(node, is_leaf=is_leaf)]
    if len(flat) == 1 and not flat[0][0]:
        return None
    return [(path[0], child) for path, child in flat]


def _step(node: Any, key: Any, child: Any) -> str | None:
    """Write one key as text, provided that it leads from the node to that very child."""
    # A node's own look-up may raise anything, and then the key does not lead to the child.
    try:
        if isinstance(key, jtu.GetAttrKey):
            name = key.name
            writable = name.isidentifier() and not keyword.iskeyword(name)
            found = getattr(node, name, _MISSING)
            return f".{name}" if writable and found is child else None
        if isinstance(key, (jtu.DictKey, jtu.SequenceKey)):
            entry = key.key if isinstance(key, jtu.DictKey) else key.idx
            return f"[{entry!r}]" if _is_literal(entry) and node[entry] is child else None
    except Exception:
        return None
    return None


def _is_literal(entry: Any) -> bool:
    """Return whether `repr` writes a key in a way that reads back as the same key."""
    if type(entry) is tuple:
        return all(map(_is_literal, entry))
    return entry is None or type(entry) in (str, bytes, int, bool)


def _is_empty_tuple(node: Any) -> bool:
    return issubclass(type(node), tuple) and not hasattr(node, "_fields") and len(node) == 0
