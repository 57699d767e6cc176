"""The small changes that make a mutant: those of mutmut, and those of statements.

mutmut changes expressions and assignments. Its table has no change of a condition, an effect, an
answer, a loop, a decorator or an `except`, which are below in the same form.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from .extras import tool


class Change(NamedTuple):
    """A node in place of another one.

    Args:
        operator: name of the kind of change.
        old: the node of the source.
        new: the node in its place; `None` if it is left out.
    """

    operator: str
    old: Any
    new: Any


def changes(node: Any) -> Iterator[Change]:
    """Yield each change of a node of libcst."""
    for kind, name, change in _of_mutmut():
        if isinstance(node, kind):
            for new in change(node):
                yield Change(name, node, new)
    for name, change in _OF_STATEMENTS.items():
        for old, new in change(tool("libcst"), node):
            yield Change(name, old, new)


@functools.cache
def _of_mutmut() -> list[tuple[type, str, Callable[[Any], Iterable[Any]]]]:
    mutators = tool("mutmut.mutation.mutators")
    return [
        (kind, change.__name__.removeprefix("operator_"), change)
        for kind, change in mutators.mutation_operators
    ]


_Changes = Iterator[tuple[Any, Any]]
_OF_STATEMENTS: dict[str, Callable[[Any, Any], _Changes]] = {}


def _named(name: str) -> Callable[[Callable[[Any, Any], _Changes]], Callable[[Any, Any], _Changes]]:
    def add(change: Callable[[Any, Any], _Changes]) -> Callable[[Any, Any], _Changes]:
        _OF_STATEMENTS[name] = change
        return change

    return add


@_named("condition")
def _condition(cst: Any, node: Any) -> _Changes:
    """Negate a condition; mutmut changes those of `a if b else c`, and takes a `not` away."""
    if not isinstance(node, (cst.If, cst.While, cst.CompIf)):
        return
    test = node.test
    if not (isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not)):
        inner = test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        yield test, cst.UnaryOperation(cst.Not(), inner)


@_named("effect")
def _effect(cst: Any, node: Any) -> _Changes:
    """Leave a call out that is a statement, or a `del`."""
    called = isinstance(node, cst.Expr) and isinstance(node.value, cst.Call)
    if called or isinstance(node, cst.Del):
        yield node, cst.Pass()


@_named("answer")
def _answer(cst: Any, node: Any) -> _Changes:
    """Return `None`."""
    if isinstance(node, cst.Return) and node.value is not None:
        yield node.value, cst.Name("None")


@_named("loop")
def _loop(cst: Any, node: Any) -> _Changes:
    """Loop over nothing."""
    if isinstance(node, cst.For):
        yield node.iter, cst.Tuple([])


@_named("decorator")
def _decorator(cst: Any, node: Any) -> _Changes:
    """Leave a decorator out."""
    if isinstance(node, cst.Decorator):
        yield node, None


@_named("except")
def _except(cst: Any, node: Any) -> _Changes:
    """Catch no exception."""
    if isinstance(node, cst.ExceptHandler) and node.type is not None:
        yield node.type, cst.Tuple([])
