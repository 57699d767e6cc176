"""Draws numbers in trees and operators of them for `flax.cursor`."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import jax
import numpy as np
from hypothesis import reject, strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope

from .cursors import Path, is_data, places, plain, reached, steps_of
from .trees import bind_cursor_tree, cursor_trees, draw_path

_NUMBERS: tuple[Kind, ...] = tuple(
    Kind("leaf", text, (), (f"number:{name}",))
    for name, text in (
        ("int", "5"),
        ("float", "2.5"),
        ("numpy-int", "np.array([4, 7], np.int32)"),
        ("numpy-float", "np.float32([2.5, -1.5])"),
        ("numpy-scalar", "np.float32(1.5)"),
        ("jax-int", "jax.device_put(np.int32([4, 7]))"),
        ("jax-float", "jax.device_put(np.float32([2.5, -1.5]))"),
        ("jax-scalar", "jax.device_put(np.float32(1.5))"),
    )
)
_BINARY = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "@": "matmul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "<<": "lshift",
    ">>": "rshift",
    "&": "and_",
    "^": "xor",
    "|": "or_",
}
_COMPARISONS = ("<", "<=", "==", "!=", ">", ">=")
_UNARY = ("-x", "+x", "~x", "abs(x)", "round(x)", "round(x, 1)", "len(x)", "str(x)")
_OPERANDS = {
    "number": "2",
    "float": "2.5",
    "array": "jax.device_put(np.int32([2, 1]))",
    "numpy": "np.int32([2, 1])",
    "numpy-scalar": "np.float32(2.0)",
    "list": "[1, 2]",
}
# On which side of an operator a plain value stands, and which. With `both` there are two cursors,
# with `unary` one.
_SIDES = (
    *((side, name) for name in _OPERANDS for side in ("right", "left")),
    *(("left", name) for name in ("numpy", "numpy-scalar") * 2),
    *(("both", "number") for _ in range(8)),
    *(("unary", "number") for _ in range(4)),
)


def _draw_number(draw: st.DrawFn, scope: Scope) -> tuple[Any, Path, list[Path]]:
    """Bind a `tree` of numbers; return it, the path of a part, and those of numbers beside it."""
    tree = bind_cursor_tree(draw, scope, cursor_trees(_NUMBERS))
    path = draw_path(draw, scope, tree)
    if not is_data(tree, path):
        reject()
    numbers = [other for other, value in places(tree) if not steps_of(value)]
    return tree, path, [other for other in numbers if is_data(tree, other)]


def _answer(text: str, **names: Any) -> list[Any]:
    """Return the value of an expression in a list, which is empty if it has none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return [eval(text, {"np": np, "jax": jax}, names)]
    except Exception:
        # Numbers refuse operators with any error.
        return []


def _text(path: Path) -> str:
    """Return the expression of the part of `tree` that a path leads to."""
    steps = (f".{step}" if isinstance(step, str) else f"[{step[0]!r}]" for step in path)
    return f"tree{''.join(steps)}"


def _sides(left: Any, right: Any) -> Iterator[str]:
    """Yield features of an operator between a value, or its cursor, and the cursor of another."""
    if isinstance(left, (np.ndarray, np.generic)):
        yield "left:numpy" if isinstance(left, np.ndarray) else "left:numpy-scalar"
    if type(right) in (int, float):
        yield "right:number"


@st.composite
def cursor_increments(draw: st.DrawFn) -> Recipe:
    """Draw a `tree`, the `path` of a part of it, and `operand`, a function of a tree or cursor.

    Also bound are `augmented` and `plain`, functions of the module `operator`. Features are
    `operator:` followed by a name and, if the operand is a part of the tree, `side:both` and those
    of `cursor_operations` for either of two operations, one after the other.
    """
    scope = Scope()
    tree, path, numbers = _draw_number(draw, scope)
    if both := draw(st.integers(0, 2)) == 2:
        # A cursor keeps one item twice if it is named by two indices.
        path = tuple(plain(tree, path))
        # What is inside the part is gone after the first assignment.
        numbers = [one for one in numbers if one == path or one[: len(path)] != path]
    both = both and bool(numbers)
    operand = _text(draw(st.sampled_from(numbers))) if both else _draw_operand(draw)
    number, other = reached(tree, path), _value(operand, tree)
    # The operand may be the part itself, which has another value in the second assignment.
    again = operand == _text(path)
    fit: dict[str, Any] = {}
    for sign, name in _BINARY.items():
        for first in _answer(f"x {sign} y", x=number, y=other):
            if _answer(f"x {sign} y", x=first, y=first if again else other):
                fit[name] = first
    name = draw(st.sampled_from(tuple(fit))) if fit else reject()
    scope.note(f"operator:{name}")
    if both:
        second = fit[name]
        scope.note("side:both", *_sides(number, other))
        scope.note(*_sides(second, second if again else other))
    scope.bind("path", repr(path))
    scope.bind("operand", f"lambda tree: {operand}")
    scope.bind("plain", f"operator.{name}")
    scope.bind("augmented", f"operator.i{name.rstrip('_')}")
    return scope.recipe()


def _draw_operand(draw: st.DrawFn) -> str:
    return draw(st.sampled_from(tuple(_OPERANDS.values())))


def _value(text: str, tree: Any) -> Any:
    return eval(text, {"np": np, "jax": jax}, {"tree": tree})


@st.composite
def cursor_operations(draw: st.DrawFn) -> Recipe:
    """Draw a `tree`, and `operation`, a function of a tree or cursor that calls an operator.

    Features: `side:` followed by `unary`, `right`, `left` or `both`, for the operand that is no
    cursor; `operator:comparison`; if a cursor is on the right, `left:numpy` or `left:numpy-scalar`
    for a value of NumPy on the left, and `right:number` if the value of the cursor is a number of
    Python.
    """
    scope = Scope()
    tree, path, numbers = _draw_number(draw, scope)
    side, name = draw(st.sampled_from(_SIDES))
    part, other = _text(path), _OPERANDS[name]
    if side == "both":
        other = _text(draw(st.sampled_from(numbers))) if numbers else reject()
    one, two = (other, part) if side == "left" else (part, other)
    signs = [f"x {sign} y" for sign in (*_BINARY, *_COMPARISONS)]
    # A cursor iterates over lists and tuples alone.
    unary = (*_UNARY, "5 in x") if isinstance(reached(tree, path), (list, tuple)) else _UNARY
    forms = unary if side == "unary" else (*signs, "divmod(x, y)")
    left, right = _value(one, tree), _value(two, tree)
    fit = [form for form in forms if _answer(form, x=left, y=right)]
    form = draw(st.sampled_from(fit)) if fit else reject()
    scope.note(f"side:{side}")
    scope.note(*(["operator:comparison"] if form[2:-2] in _COMPARISONS else []))
    scope.note(*(_sides(left, right) if side in ("left", "both") else ()))
    text = re.sub(r"\b[xy]\b", lambda name: one if name[0] == "x" else two, form)
    scope.bind("operation", f"lambda tree: {text}")
    return scope.recipe()


@st.composite
def cursor_truths(draw: st.DrawFn) -> Recipe:
    """Draw a `tree` and the `path` of a part that is true or false.

    The feature `value:unsized` is noted if the truth of the part is not its length.
    """
    scope = Scope()
    tree = bind_cursor_tree(draw, scope, cursor_trees(_NUMBERS))
    path = draw_path(draw, scope, tree)
    value = reached(tree, path)
    if not _answer("bool(x)", x=value):
        reject()
    scope.note(*([] if isinstance(value, (Mapping, list, tuple)) else ["value:unsized"]))
    scope.bind("path", repr(path))
    return scope.recipe()
