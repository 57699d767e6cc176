"""What the suite reads of Hypothesis that its public interface does not tell."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Hashable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from hypothesis.database import ExampleDatabase
from hypothesis.internal.entropy import deterministic_PRNG

# With the name of its code, the key of the examples of a test.
_DIGEST = "_hypothesis_internal_add_digest"
# Attributes of a strategy made by calling a function: the function, its arguments, and pairs of a
# method such as `"map"` and the function given to it. Without one of them, it is like no other.
_CALLED = ("function", "_LazyStrategy__args", "_LazyStrategy__kwargs", "_transformations")


def seeded() -> AbstractContextManager[None]:
    """Return the context of a test case: global random numbers start anew, and go on afterwards."""
    return deterministic_PRNG()


def same_draws(case: Any) -> Hashable:
    """Return a key that two strategies share only if they draw the same values.

    It tells the functions apart that made them, and their arguments; what a function of the key
    reads from its closure counts as an argument.

    Args:
        case: the strategy, or a function that returns one.
    """
    try:
        return _key(case)
    # A closure may hold itself, or a variable that has no value yet.
    except (RecursionError, ValueError):
        return id(case)


def _key(case: Any) -> Hashable:
    if isinstance(case, functools.partial):
        return _call(case.func, case.args, case.keywords)
    if isinstance(case, types.FunctionType):
        code, given = case.__code__, case.__defaults__ or ()
        # Not its place, so that two lambdas that do the same are one.
        made = case.__module__, code.co_code, _key(code.co_consts), code.co_names
        read = tuple(cell.cell_contents for cell in case.__closure__ or ())
        return made, _call((), (*read, *given), case.__kwdefaults__ or {})
    if all(hasattr(case, name) for name in _CALLED):
        function, args, kwargs, changes = (getattr(case, name) for name in _CALLED)
        return _call(function, args, kwargs), tuple(_key(change[:2]) for change in changes)
    if isinstance(case, (tuple, list)):
        return type(case), tuple(map(_key, case))
    if isinstance(case, dict):
        return tuple((name, _key(value)) for name, value in sorted(case.items()))
    try:
        hash(case)
    except TypeError:
        return id(case)
    # With its type, since `1 == True`.
    return type(case), case


def _call(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Hashable:
    return _key(function), _key(tuple(args)), _key(dict(kwargs))


def has_saved_examples(test: Callable[..., Any], database: ExampleDatabase | None) -> bool:
    """Return whether Hypothesis would replay examples of a test; `True` if that cannot be told.

    Args:
        test: the test, decorated with `given`.
        database: the database of its settings.
    """
    if database is None:
        return False
    try:
        from hypothesis.internal.reflection import function_digest

        key = function_digest(_inner(test))
    except (ImportError, AttributeError):
        return True
    return next(iter(database.fetch(key)), None) is not None


def share_saved_examples(test: Callable[..., Any], other: Callable[..., Any]) -> None:
    """Let a test save its examples where another with the same code does.

    Args:
        test: the test, decorated with `given`.
        other: the other test, which pytest has called.
    """
    digest = getattr(_inner(other), _DIGEST, None)
    if digest is not None:
        setattr(_inner(test), _DIGEST, digest)


def _inner(test: Any) -> Any:
    return test.hypothesis.inner_test
