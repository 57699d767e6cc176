"""Mutants of how deep trees are refused."""

from __future__ import annotations

import inspect
import sys

from selftest.mutant import mutant

_RECURSION = "jax.recursion"
_NAMES = ("tree_flatten", "tree_flatten_with_path", "tree_map")


def _functions(jax, change):
    return {f"tree_util.{name}": change(getattr(jax.tree_util, name)) for name in _NAMES}


@mutant(
    "jax",
    kills=[
        f"{_RECURSION}.great_depth_is_flattened_or_refused",
        f"{_RECURSION}.great_depth_with_is_leaf_is_flattened_or_refused",
        f"{_RECURSION}.cycle_is_refused",
        f"{_RECURSION}.cycle_with_is_leaf_is_refused",
    ],
)
def depth_is_a_memory_error(jax):
    """A tree that is too deep is refused with a MemoryError."""

    def change(function):
        def patched(*args, **options):
            try:
                return function(*args, **options)
            except RecursionError as raised:
                raise MemoryError from raised

        return patched

    return _functions(jax, change)


def _leave_no_room(limit):
    # Up to Python 3.11 the interpreter counts calls that `inspect.stack` does not see.
    try:
        sys.setrecursionlimit(limit)
    except RecursionError:
        _leave_no_room(limit + 4)


@mutant("jax", kills=[f"{_RECURSION}.great_depth_leaves_the_interpreter_usable"])
def depth_stays_entered(jax):
    """The depth that a call has entered is not left again."""

    def change(function):
        def patched(*args, **options):
            value = function(*args, **options)
            _leave_no_room(len(inspect.stack()) + 8)
            return value

        return patched

    return _functions(jax, change)
