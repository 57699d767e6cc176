"""Smaller values for the case of a law: fewer elements, less nesting.

A smaller value may be outside of the scope of the law, and the report would be wrong. So smaller
values are used only under these conditions:

- two trees differ, or a step raised an error; other failures, such as a missing error, may be
  correct behaviour for a smaller value;
- everything that the law reads is derived from that one value, so that no other name depends on it;
- no container becomes empty, and the value of a statement keeps its type;
- no leaf or node is of a type that was not there before;
- the law has no known departure, because a smaller value might show that one instead.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import jax.tree_util as jtu

from hypothesis_pytrees import Namespace, Recipe
from treelaws.compat.parsing import parse
from treelaws.core.departures import known
from treelaws.core.failure import Breach, UnexpectedError
from treelaws.core.mismatch import Mismatch

from .reading import Reading, assignment, decides, root, with_statements
from .spans import offset, part_of, replaced, without
from .syntax import span

# The aspects that `equality.same` reports.
_OF_TREES = frozenset(
    {"structure", "static value", "type", "dtype", "shape", "weak_type", "value", "identity"}
)
# Arguments in calls of these are not parts of a tree.
_ARRAYS = frozenset({"np", "jnp", "jax"})
_LATER = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LITERALS = (ast.List, ast.Tuple, ast.Set, ast.Dict)


def departs(breach: Breach) -> bool:
    """Return whether a broken law or one of its ancestors has a known departure.

    One of another node counts if the input has something in common with the inputs that it covers.
    """
    own = (breach.subject.name, breach.subject.base)
    laws = (breach.law, *breach.law.ancestors)
    return any(
        any(map(found.about, own))
        or (breach.subject.family == "node" and _has_some(found.region, breach.recipe.features))
        for law in laws
        for found in known.applying(law.id)
    )


def _has_some(region: Iterable[str], features: Collection[str]) -> bool:
    words = {word for conjunction in region for word in conjunction.split(" and ")}
    return not words.isdisjoint(features)


def refused(breach: Breach) -> bool:
    """Return whether the law is about an error that a library must raise."""
    cause = breach.cause
    return isinstance(cause, Mismatch) and cause.aspect in ("no error", "another error")


def of_trees(breach: Breach) -> bool:
    """Return whether two trees differ, or a step of the law raised an error."""
    cause = breach.cause
    # An object graph may contain itself. Flattening it makes JAX exceed the recursion limit, and
    # afterwards the interpreter cannot recurse any more.
    if breach.law.topic.family == "nnx" or "nnx:cycle" in breach.recipe.features:
        return False
    if isinstance(breach, UnexpectedError):
        return not breach.building
    assert isinstance(cause, Mismatch)
    fact = cause.got in ("True", "False") or cause.wanted in ("True", "False")
    return cause.aspect.partition(" (")[0] in _OF_TREES and not fact


def smaller_values(recipe: Recipe, reading: Reading) -> Iterator[Recipe]:
    """Yield the recipe with one element less, or with a node replaced by a child."""
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
    """Return whether a recipe has no types of nodes and leaves that another one lacks.

    Args:
        before: the other recipe; it can be built.
        after: the recipe; it can be built.
        reading: the names that their law reads.
        libraries: the libraries of their namespace.
    """
    try:
        return _sorts(after, reading, libraries) <= _sorts(before, reading, libraries)
    except Exception:
        # Some laws are about trees that cannot be flattened, such as a node that raises an error.
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
    """Return the classes of a recipe, whose arguments count as children."""
    return frozenset(
        node.name
        for text in recipe.definitions
        for node in parse(text).body
        if isinstance(node, ast.ClassDef)
    )


def _nodes(value: ast.expr) -> Iterator[ast.expr]:
    """Yield the parts of an expression that hold subtrees."""
    yield value
    if isinstance(value, _LATER) or (isinstance(value, ast.Call) and root(value.func) in _ARRAYS):
        return
    for child in ast.iter_child_nodes(value):
        inner = child.value if isinstance(child, ast.keyword) else child
        if isinstance(inner, ast.expr):
            yield from _nodes(inner)


def _items(node: ast.expr, own: frozenset[str]) -> list[ast.expr]:
    """Return the subtrees in the text of a container or an instance."""
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
        parse(text)
    except SyntaxError:
        # The span of an element does not include parentheses around it.
        return False
    return True
