"""Smaller values for the case of a law: fewer elements, less nesting.

A smaller value may be one that the law says nothing about, which would make a false report. So it
is offered only where nothing can be seen that ties the value to something else:

- two trees were found to differ, or a step raised an error; that something was not refused, or is
  not what a law states in words, may be right for a smaller value;
- what the law reads is made of that one value, so that no second name depends on its old form;
- something is left in each container, and what a statement binds stays of its kind;
- no leaf and no node is of a sort that was not there before;
- no departure is known of the law, since a smaller value might meet that one instead.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

import jax.tree_util as jtu

from hypothesis_pytrees import Namespace, Recipe
from treelaws.core.departures import known
from treelaws.core.failure import Breach, UnexpectedError
from treelaws.core.mismatch import Mismatch

from .reading import Reading, assignment, decides, root, with_statements
from .spans import offset, part_of, replaced, without
from .syntax import span

# What `equality.same` says of two trees.
_OF_TREES = frozenset(
    {"structure", "static value", "type", "dtype", "shape", "weak_type", "value", "identity"}
)
# What stands in calls of these is no part of a tree.
_ARRAYS = frozenset({"np", "jnp", "jax"})
_LATER = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LITERALS = (ast.List, ast.Tuple, ast.Set, ast.Dict)


def departs(breach: Breach) -> bool:
    """Say whether a departure is known of a law that was broken, or of one that it builds on."""
    own = (breach.subject.name, breach.subject.base)
    laws = (breach.law, *breach.law.ancestors)
    return any(
        found.subject in own or breach.subject.family == "node"
        for law in laws
        for found in known.applying(law.id)
    )


def refused(breach: Breach) -> bool:
    """Say whether the law is about something that a library refuses."""
    cause = breach.cause
    return isinstance(cause, Mismatch) and cause.aspect in ("no error", "another error")


def of_trees(breach: Breach) -> bool:
    """Say whether two trees were found to differ, or the law's own steps raised an error."""
    cause = breach.cause
    # An object graph may hold itself. JAX does not come back from flattening that: the depth that
    # it has counted stays, and every later call of the interpreter is one too many.
    if breach.law.topic.family == "nnx" or "nnx:cycle" in breach.recipe.features:
        return False
    if isinstance(breach, UnexpectedError):
        return not breach.building
    assert isinstance(cause, Mismatch)
    fact = cause.got in ("True", "False") or cause.wanted in ("True", "False")
    return cause.aspect.partition(" (")[0] in _OF_TREES and not fact


def smaller_values(recipe: Recipe, reading: Reading) -> Iterator[Recipe]:
    """Give the recipe with an element less, or a node replaced by what it holds."""
    for index, text in enumerate(recipe.statements):
        found = assignment(text)
        if found is None or not decides(found[0], recipe, reading):
            continue
        own = _own(recipe)
        for changed in (*_shorter(text, found[1], own), *_flatter(text, found[1], own)):
            if _parses(changed):
                statements = list(recipe.statements)
                statements[index] = changed
                yield with_statements(recipe, statements)


def adds_none(
    before: Recipe, after: Recipe, reading: Reading, libraries: Mapping[str, Any]
) -> bool:
    """Say whether a recipe holds only sorts of nodes and leaves that another one holds.

    Args:
        before: the other recipe; it can be built.
        after: the recipe; it can be built.
        reading: what their law reads.
        libraries: what their text sees.
    """
    try:
        return _sorts(after, reading, libraries) <= _sorts(before, reading, libraries)
    except Exception:
        # Some laws are about what cannot be flattened, such as a node that raises an error of its
        # own. Nothing is known of what that holds.
        return False


def _sorts(recipe: Recipe, reading: Reading, libraries: Mapping[str, Any]) -> set[str]:
    scope = Namespace(**libraries).run(recipe)
    leaves, treedef = jtu.tree_flatten([scope[name] for name in sorted(reading.of(recipe))])
    return {*map(_sort_of, leaves), *_nodes_of(treedef)}


def _sort_of(leaf: Any) -> str:
    form = [getattr(leaf, name, None) for name in ("dtype", "shape", "weak_type")]
    value = repr(leaf) if isinstance(leaf, (int, float, complex, str, bytes)) else ""
    return f"{type(leaf).__qualname__} {form} {value}"


def _nodes_of(treedef: Any) -> Iterator[str]:
    data = treedef.node_data()
    if data is not None:
        yield data[0].__qualname__
    for child in treedef.children():
        yield from _nodes_of(child)


def _own(recipe: Recipe) -> frozenset[str]:
    """Give the classes of a recipe, whose instances hold what they are called with."""
    return frozenset(
        node.name
        for text in recipe.definitions
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef)
    )


def _nodes(value: ast.expr) -> Iterator[ast.expr]:
    """Walk through the parts of an expression that hold subtrees."""
    yield value
    if isinstance(value, _LATER) or (isinstance(value, ast.Call) and root(value.func) in _ARRAYS):
        return
    for child in ast.iter_child_nodes(value):
        inner = child.value if isinstance(child, ast.keyword) else child
        if isinstance(inner, ast.expr):
            yield from _nodes(inner)


def _items(node: ast.expr, own: frozenset[str]) -> list[ast.expr]:
    """List the subtrees that a container or an instance is written with."""
    if isinstance(node, ast.Dict):
        return node.values
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return node.elts
    if isinstance(node, ast.Call) and root(node.func) in own:
        return [*node.args, *(keyword.value for keyword in node.keywords)]
    return []


def _shorter(text: str, value: ast.expr, own: frozenset[str]) -> Iterator[str]:
    for node in _nodes(value):
        items = _items(node, own)
        if len(items) < 2 or not isinstance(node, _LITERALS):
            continue
        for index in range(len(items)):
            if not isinstance(node, ast.Dict):
                pair = isinstance(node, ast.Tuple) and len(items) == 2
                yield without(text, items, index, pair=pair)
            elif None not in node.keys:
                yield _without_entry(text, node, index)


def _without_entry(text: str, node: ast.Dict, index: int) -> str:
    keys = [key for key in node.keys if key is not None]
    if index + 1 < len(keys):
        start, end = span(keys[index])[0], span(keys[index + 1])[0]
    else:
        start, end = span(node.values[index - 1])[1], span(node.values[index])[1]
    return replaced(text, offset(text, start), offset(text, end), "")


def _flatter(text: str, value: ast.expr, own: frozenset[str]) -> Iterator[str]:
    for holder in _nodes(value):
        for node in _items(holder, own):
            start, end = (offset(text, position) for position in span(node))
            for inner in _items(node, own):
                yield replaced(text, start, end, part_of(text, inner))


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        # A bracket around an element is no part of it.
        return False
    return True
