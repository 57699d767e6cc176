"""Draws trees for `flax.cursor`, and the changes, reads and choices that laws make in them."""

from __future__ import annotations

import collections
import dataclasses
import functools
import itertools
from collections.abc import Sequence
from typing import Any

import jax.tree_util as jtu
from hypothesis import reject, strategies as st

from hypothesis_pytrees.core.availability import usable
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.trees.positions import bind_tree, names_of
from hypothesis_pytrees.trees.trees import trees as any_trees

from .cursors import Path, Step, child_at, edited, is_named_tuple, places, steps_of
from .indices import index_features
from .nodes import LEAVES, NAMED_ALIKE, NODES, ODD, PLAIN_VALUES, VALUES

_COPIED = (dict, list, tuple, collections.OrderedDict, collections.defaultdict)
_GROWING = ("dict", "OrderedDict", "defaultdict", "FrozenDict")
_NEW_KEYS = {str: "new", int: 77, float: 77, bytes: b"new", tuple: ("new", 7)}


def cursor_trees(
    leaves: Sequence[Kind] = LEAVES,
    *,
    odd: bool = False,
    taken: bool = False,
    roots: Sequence[Kind] | None = None,
) -> st.SearchStrategy[Recipe]:
    """Draw a tree of nodes that a cursor copies.

    Args:
        leaves: the kinds of leaves; default all except tuples of a subclass.
        odd: leaves may be instances of subclasses, unregistered dataclasses, and a dataclass;
            default `False`.
        taken: fields may have names of methods of a cursor; default `False`.
        roots: the kinds that the root is drawn from; default every node that has a part.
    """

    def draw_from() -> st.SearchStrategy[Recipe]:
        kinds = usable((*NODES, *(NAMED_ALIKE if taken else ())))
        drawn = pool((*leaves, *(ODD * 4 if odd else ())))
        first = roots or _even(kinds)
        return any_trees(drawn, kinds=kinds, roots=first, max_leaves=5, history=not odd)

    return st.deferred(draw_from)


@functools.cache
def _even(kinds: tuple[Kind, ...]) -> tuple[Kind, ...]:
    """Repeat the kinds that have children, so that no family of them crowds out the others."""
    families: dict[str, list[Kind]] = {}
    for kind in kinds:
        families.setdefault(kind.name, []).extend([kind] if kind.arity else [])
    share = max(map(len, families.values())) // 3
    repeats = (family * max(1, share // len(family)) for family in families.values() if family)
    return tuple(itertools.chain.from_iterable(repeats))


@st.composite
def cursor_edits(
    draw: st.DrawFn,
    trees: st.SearchStrategy[Recipe] | None = None,
    *,
    most: int = 3,
    new_keys: bool = True,
    odd: bool = False,
) -> Recipe:
    """Draw a `tree` and `edits`: pairs of a path and the value to put there, in order.

    Features are `value:` or `odd:` followed by the kind of a value, `step:attribute`, `step:item`,
    `step:negative`, `step:new-key`, and those of `index_features`.

    Args:
        trees: strategy of the tree; default `cursor_trees()`.
        most: greatest number of edits; default 3.
        new_keys: also add entries to dicts; default `True`.
        odd: values may be those of `odd` of `cursor_trees`; default `False`.
    """
    scope = Scope()
    tree = bind_cursor_tree(draw, scope, cursor_trees() if trees is None else trees)
    current, texts = tree, list[str]()
    edits: list[tuple[Path, Any]] = []
    for _ in range(draw(st.integers(1, most))):
        path = draw_path(draw, scope, current, new_keys=new_keys)
        kind = draw(st.sampled_from(VALUES if odd else PLAIN_VALUES))
        scope.define(*kind.definitions)
        scope.note(*kind.features)
        texts.append(f"({path!r}, {kind.template})")
        edits.append((path, scope.value(kind.template)))
        current = _checked(current, edits[-1])
    scope.note(*index_features(tree, edits))
    scope.bind("edits", f"[{', '.join(texts)}]")
    return scope.recipe()


def bind_cursor_tree(draw: st.DrawFn, scope: Scope, strategy: st.SearchStrategy[Recipe]) -> Any:
    """Draw a tree, bind it to `tree` and return it.

    The feature `odd:dataclass-type` is noted also if a static field holds a dataclass.
    """
    bind_tree(draw, scope, strategy)
    tree = names_of(scope)["tree"]
    found = {sort_of(value) for _, value in places(tree)}
    scope.note(*(["odd:dataclass-type"] if "dataclass-type" in found else []))
    return tree


def sort_of(value: Any) -> str:
    """Return the name that the features of an odd value have after the colon, or `""`."""
    if isinstance(value, type):
        return "dataclass-type" if dataclasses.is_dataclass(value) else ""
    if isinstance(value, (dict, list, tuple)) and not is_named_tuple(value):
        return "" if type(value) in _COPIED else "subclass"
    if not dataclasses.is_dataclass(value):
        return ""
    if not all(field.init for field in dataclasses.fields(value)):
        return "init-false"
    return "own-init" if type(value).__name__ == "CuSized" else ""


def draw_path(
    draw: st.DrawFn,
    scope: Scope,
    tree: Any,
    *,
    new_keys: bool = False,
) -> Path:
    """Draw a path into a tree, of at least one step.

    Args:
        new_keys: the last step may be a new entry of a dict; default `False`.
    """
    path: list[Step] = []
    node = tree
    while steps_of(node) and (not path or draw(st.integers(0, 3))):
        steps = steps_of(node)
        step = steps[draw(st.integers(0, len(steps) - 1))]
        path.append(_spelt(draw, scope, node, step))
        node = child_at(node, step)
    if new_keys and type(node).__name__ in _GROWING and (not path or not draw(st.integers(0, 3))):
        first = next(iter(node), "")
        if type(first) in _NEW_KEYS:
            scope.note("step:new-key")
            path.append([_NEW_KEYS[type(first)]])
    return tuple(path) if path else reject()


def _spelt(draw: st.DrawFn, scope: Scope, node: Any, step: Step) -> Step:
    """Draw how a step is written: the field of a named tuple also by its index."""
    index = steps_of(node).index(step)
    if is_named_tuple(node) and draw(st.booleans()):
        step = [index]
    if (
        isinstance(node, (list, tuple))
        and not isinstance(step, str)
        and draw(st.integers(0, 3)) == 3
    ):
        scope.note("step:negative")
        return [index - len(node)]
    scope.note("step:attribute" if isinstance(step, str) else "step:item")
    return step


def _checked(tree: Any, edit: tuple[Path, Any]) -> Any:
    """Apply an edit; reject one that a class refuses, or that makes treedefs incomparable."""
    try:
        one, other = edited(tree, [edit]), edited(tree, [edit])
        agree = jtu.tree_structure(one) == jtu.tree_structure(other)
    except Exception:
        # A class may refuse a value with any error, and an array in a static field is ambiguous.
        reject()
    return one if agree is True else reject()
