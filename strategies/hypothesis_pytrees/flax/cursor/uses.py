"""Draws reads, pairs of places and choices of `apply_update` and `find` for `flax.cursor`."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from typing import Any

import jax
import jax.tree_util as jtu
from hypothesis import reject, strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import JAX_ARRAYS
from hypothesis_pytrees.trees.containers import CONTAINERS

from .cursors import (
    Path,
    Step,
    earliest,
    edited,
    is_copied,
    is_data,
    places,
    plain,
    reached,
    steps_of,
    text_of,
)
from .trees import bind_cursor_tree, cursor_trees, draw_path, sort_of

_LISTS = tuple(
    kind for kind in CONTAINERS if kind.name in ("list", "tuple", "namedtuple") and kind.arity
)
# No tree holds this number, and no class refuses it for its sign.
_NEW = 1077
_METHODS = {"set", "build", "find"}


@st.composite
def cursor_reads(draw: st.DrawFn) -> Recipe:
    """Draw a `tree` and `reads`, paths into it that may end in any public attribute.

    Features are those of `cursor_edits`, `read:` followed by the sort of an odd value on a path,
    and, where a path ends in an attribute that is not a field, `read:of-leaf` if it is that of a
    leaf, otherwise `read:no-field`.
    """
    scope = Scope()
    tree = bind_cursor_tree(draw, scope, cursor_trees(odd=True))
    reads = []
    for _ in range(draw(st.integers(1, 3))):
        path = draw_path(draw, scope, tree)
        if draw(st.booleans()):
            path = draw(st.sampled_from((path, path[:-1])))
            owner = reached(tree, path)
            names = [name for name in dir(owner) if not name.startswith("_")]
            name = draw(st.sampled_from(names)) if names else reject()
            if name not in steps_of(owner) and _is_read(owner, name):
                path = (*path, name)
                scope.note("read:no-field" if is_copied(owner) else "read:of-leaf")
        sorts = [sort_of(reached(tree, path[:end])) for end in range(1, len(path) + 1)]
        scope.note(*(f"read:{sort}" for sort in sorts if sort))
        reads.append(path)
    scope.bind("reads", repr(reads))
    return scope.recipe()


def _is_read(owner: Any, name: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            getattr(owner, name)
    except Exception:
        # A property may raise any error, and deprecated attributes warn.
        return False
    return True


@st.composite
def cursor_choices(
    draw: st.DrawFn,
    *,
    matches: Sequence[str] = ("one", "several", "one", "several", "none"),
    odd: bool = False,
    taken: bool = True,
) -> Recipe:
    """Draw a `tree`, `chosen`, the paths of some places in it as text, and `new`, a value for them.

    Features are `chosen:` followed by `none`, `one` or `several`, the number of those that are in
    no other chosen place; `chosen:nested`; `chosen:unsized` if the first two have no length;
    `chosen:method-name` and `chosen:below-method-name` if a field on the way has the name of a
    method of a cursor; `chosen:below-` followed by the sort of an odd value on the way.

    Args:
        matches: features after `chosen:` to draw from.
        odd: as in `cursor_trees`; default `False`.
        taken: as in `cursor_trees`; default `True`.
    """
    scope = Scope()
    tree = bind_cursor_tree(draw, scope, cursor_trees(odd=odd, taken=taken))
    every = [path for path, _ in places(tree)]
    texts = [text_of(path) for path in every if _fits(tree, path, _NEW)]
    if not texts or len({*map(text_of, every)}) < len(every):
        reject()
    count = {"none": 0, "one": 1, "several": 4}[draw(st.sampled_from(matches))]
    fewest = min(count, 2, len(texts))
    chosen = draw(st.lists(st.sampled_from(texts), unique=True, min_size=fewest, max_size=count))
    found = earliest(tree, chosen)
    scope.note(f"chosen:{('none', 'one', 'several')[min(len(found), 2)]}")
    if len(found) < len(chosen):
        scope.note("chosen:nested")
    if len(found) > 1 and not _has_truth(found[0][1], found[1][1]):
        scope.note("chosen:unsized")
    for path, _ in found:
        scope.note(*(["chosen:method-name"] if {*map(str, path)} & _METHODS else []))
        scope.note(*(["chosen:below-method-name"] if {*map(str, path[:-1])} & _METHODS else []))
        sorts = [sort_of(reached(tree, path[:end])) for end in range(1, len(path))]
        scope.note(*(f"chosen:below-{sort}" for sort in sorts if sort))
    if not all(_fits(tree, path, _NEW) for path, _ in found):
        reject()
    scope.bind("chosen", repr(chosen))
    scope.bind("new", repr(_NEW))
    return scope.recipe()


def _has_truth(one: Any, other: Any) -> bool:
    """Return whether `one and other` is known from their lengths."""
    try:
        return len(one) == 0 or len(other) >= 0
    except Exception:
        # A leaf may refuse with any error.
        return False


@st.composite
def cursor_sequences(draw: st.DrawFn) -> Recipe:
    """Draw a `tree` whose root is a list, a tuple or a named tuple."""
    scope = Scope()
    bind_cursor_tree(draw, scope, cursor_trees(roots=_LISTS))
    return scope.recipe()


@st.composite
def cursor_pairs(draw: st.DrawFn) -> Recipe:
    """Draw a `tree` and two paths, `origin` and `to`, none of which leads into the other."""
    scope = Scope()
    tree = bind_cursor_tree(draw, scope, cursor_trees())
    origin, to = (draw_path(draw, scope, tree) for _ in range(2))
    if _overlap(plain(tree, origin), plain(tree, to)) or not _fits(tree, to, reached(tree, origin)):
        reject()
    scope.bind("origin", repr(origin))
    scope.bind("to", repr(to))
    return scope.recipe()


def _overlap(one: list[Step], other: list[Step]) -> bool:
    """Return whether one place is in the other."""
    return all(map(operator.eq, one, other))


def _fits(tree: Any, path: Path, value: Any) -> bool:
    try:
        jtu.tree_structure(edited(tree, [(path, value)]))
    except Exception:
        # A class may refuse a value with any error.
        return False
    return True


@st.composite
def cursor_arrays(draw: st.DrawFn) -> Recipe:
    """Draw a `tree` that `jit` takes, and the `path` of a part that is not static."""
    scope = Scope()
    tree = bind_cursor_tree(draw, scope, cursor_trees(JAX_ARRAYS))
    path = draw_path(draw, scope, tree)
    if not _is_traced(tree) or not is_data(tree, path):
        reject()
    scope.bind("path", repr(path))
    return scope.recipe()


def _is_traced(tree: Any) -> bool:
    leaves, treedef = jtu.tree_flatten(tree)
    try:
        hash(treedef)
    except TypeError:
        return False
    return all(isinstance(leaf, (jax.Array, int, float)) for leaf in leaves)
