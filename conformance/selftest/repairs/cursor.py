"""A cursor of Flax without its known bugs: a path into a tree that all cursors of it share."""

from __future__ import annotations

import copy
import functools
import operator
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.tree_util as jtu

from hypothesis_pytrees.flax.cursor.cursors import (
    Path,
    Step,
    child_at,
    edited,
    is_copied,
    plain,
    reached,
    steps_of,
    text_of,
)
from selftest.repair import fault, repaired

_ID = "flax.cursor."


class Cursor:
    """A part of a tree.

    Args:
        shared: a list with the tree as it is now.
        path: the path of the part.
        flax: the real library.
    """

    # NumPy leaves operators to the cursor.
    __array_ufunc__ = None

    def __init__(self, shared: list[Any], path: Path, flax: Any) -> None:
        vars(self).update(_shared=shared, _path=path, _flax=flax, _first=shared[0])

    @property
    def _value(self) -> Any:
        return reached(self._shared[0], self._path)

    def _at(self, *steps: Step) -> Any:
        place = plain(self._value, steps)
        return type(self)(self._shared, (*self._path, *place), self._flax)

    def _put(self, path: Path, value: Any) -> None:
        value = value._value if isinstance(value, Cursor) else value
        self._shared[0] = _changed(self._shared[0], (*self._path, *path), value)

    def __getitem__(self, key: Any) -> Any:
        child_at(self._value, [key])
        return self._at([key])

    def __getattr__(self, name: str) -> Any:
        getattr(self._value, name)
        return self._at(name)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._put(tuple(plain(self._value, ([key],))), value)

    def __setattr__(self, name: str, value: Any) -> None:
        self._put((name,), value)

    def set(self, value: Any) -> Any:
        self._put((), value)
        return self._shared[0]

    def build(self) -> Any:
        return self._value

    def __len__(self) -> int:
        return len(self._value)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __str__(self) -> str:
        return str(self._value)

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self._value)))

    def _traversed(self) -> Any:
        return self._value

    def apply_update(self, update_fn: Callable[[str, Any], Any]) -> Any:
        def visit(node: Any, path: Path) -> None:
            for step in steps_of(node):
                child, inner = child_at(node, step), (*path, step)
                new = update_fn(text_of(inner), child)
                if new is child:
                    visit(child, inner)
                else:
                    self._put(inner, new)

        visit(self._traversed(), ())
        return self

    def find_all(self, cond_fn: Callable[[str, Any], bool]) -> Iterator[Any]:
        def visit(node: Any, path: Path) -> Iterator[Any]:
            for step in steps_of(node):
                child, inner = child_at(node, step), (*path, step)
                if cond_fn(text_of(inner), child):
                    yield self._at(*inner)
                else:
                    yield from visit(child, inner)

        return visit(self._value, ())

    def find(self, cond_fn: Callable[[str, Any], bool]) -> Any:
        found = list(self.find_all(cond_fn))
        if len(found) != 1:
            raise self._flax.errors.CursorFindError
        return found[0]


def _changed(node: Any, path: Path, value: Any) -> Any:
    """Return a copy of any node or array with a value at a path."""
    if not path:
        return value
    step, *rest = path
    return _with(node, step, _changed(child_at(node, step), tuple(rest), value) if rest else value)


def _with(node: Any, step: Step, value: Any) -> Any:
    if isinstance(node, jax.Array):
        return node.at[step[0]].set(value)
    if isinstance(node, functools.partial):
        return jtu.Partial(node.func, *node.args, **value)
    if isinstance(step, str) and not is_copied(node):
        node = copy.copy(node)
        setattr(node, step, value)
        return node
    if type(node).__name__ == "State":
        return type(node)({**node, step[0]: value})
    return edited(node, [((step,), value)])


def _value_of(one: Any) -> Any:
    return one._value if isinstance(one, Cursor) else one


def _add_operators() -> None:
    """Add the operators that the cursor of Flax has, with the values of cursors on both sides."""

    def answer(call: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args: call(*map(_value_of, args))

    def reflected(call: Callable[..., Any]) -> Callable[..., Any]:
        return lambda self, other: call(_value_of(other), self._value)

    signs = ["add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow"]
    bits = ["lshift", "rshift", "and", "or", "xor"]
    twofold = {name: getattr(operator, f"__{name}__") for name in (*signs, *bits)}
    for name, call in {**twofold, "divmod": divmod}.items():
        setattr(Cursor, f"__{name}__", answer(call))
        setattr(Cursor, f"__r{name}__", reflected(call))
    others = ["lt", "le", "eq", "ne", "gt", "ge", "neg", "pos", "invert", "abs"]
    single = {name: getattr(operator, f"__{name}__") for name in others}
    for name, call in {**single, "round": round}.items():
        setattr(Cursor, f"__{name}__", answer(call))


_add_operators()


def _replaced(kind: type[Cursor], flax: Any) -> dict[str, Any]:
    return {"cursor.cursor": lambda obj: kind([obj], (), flax)}


@repaired("flax", laws=_ID)
def cursors_are_paths(flax: Any) -> dict[str, Any]:
    """All laws of cursors hold on a cursor that is a path into a shared tree."""
    return _replaced(Cursor, flax)


@fault("flax", kills=[_ID + "an_assigned_cursor_stands_for_its_value"])
def assigned_cursors_stay(flax: Any) -> dict[str, Any]:
    """An assigned cursor is put into the tree itself."""

    class Staying(Cursor):
        def _put(self, path: Path, value: Any) -> None:
            self._shared[0] = _changed(self._shared[0], (*self._path, *path), value)

    return _replaced(Staying, flax)


@fault("flax", kills=[_ID + "updates_see_earlier_assignments"])
def updates_go_over_the_original(flax: Any) -> dict[str, Any]:
    """`apply_update` goes over the tree of which the cursor was made."""

    class Original(Cursor):
        def _traversed(self) -> Any:
            return reached(self._first, self._path)

    return _replaced(Original, flax)
