"""Draws numbers in trees and operators of them for `flax.cursor`, and elements of arrays."""

from __future__ import annotations

import warnings
from typing import Any

import jax
import numpy as np
from hypothesis import reject, strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope

from .cursor_trees import bind_cursor_tree, cursor_trees, draw_path
from .cursors import Path, is_data, reached

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
_UNARY = ("-x", "+x", "~x", "abs(x)", "round(x)", "round(x, 1)")
_OPERANDS = {
    "number": "2",
    "array": "jax.device_put(np.int32([2, 1]))",
    "numpy": "np.int32([2, 1])",
    "numpy-scalar": "np.float32(2.0)",
}


def _draw_number(draw: st.DrawFn, scope: Scope) -> Any:
    """Bind a `tree` of numbers and the `path` of one, and return the number."""
    tree = bind_cursor_tree(draw, scope, cursor_trees(_NUMBERS))
    path = draw_path(draw, scope, tree)
    if not is_data(tree, path):
        reject()
    scope.bind("path", repr(path))
    return reached(tree, path)


def _answers(text: str, **names: Any) -> bool:
    """Return whether an expression has a value."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            eval(text, {"np": np, "jax": jax}, names)
    except Exception:
        # Numbers refuse operators with any error.
        return False
    return True


@st.composite
def cursor_increments(draw: st.DrawFn) -> Recipe:
    """Draw a `tree`, the `path` of a number in it, and `operand` for an augmented assignment.

    Also bound are `augmented` and `plain`, functions of the module `operator`.
    """
    scope = Scope()
    number = _draw_number(draw, scope)
    operand = draw(st.sampled_from(tuple(_OPERANDS.values())))
    fit = [
        name
        for sign, name in _BINARY.items()
        if _answers(f"(x {sign} y) {sign} y".replace("y", operand), x=number)
    ]
    name = draw(st.sampled_from(fit)) if fit else reject()
    scope.note(f"operator:{name}")
    scope.bind("operand", operand)
    scope.bind("plain", f"operator.{name}")
    scope.bind("augmented", f"operator.i{name.rstrip('_')}")
    return scope.recipe()


@st.composite
def cursor_operations(draw: st.DrawFn) -> Recipe:
    """Draw a `tree`, the `path` of a number in it, and `operation`, a function of the number.

    Features: `side:` followed by `unary`, `right` or `left` and, if the cursor is on the right,
    `left:` followed by `number`, `array`, `numpy` or `numpy-scalar`.
    """
    scope = Scope()
    number = _draw_number(draw, scope)
    side = draw(st.sampled_from(("unary", "right", "left")))
    name = draw(st.sampled_from(tuple(_OPERANDS)))
    signs = (*_BINARY, *_COMPARISONS)
    forms = {"right": f"x {{}} {_OPERANDS[name]}", "left": f"{_OPERANDS[name]} {{}} x"}
    texts = _UNARY if side == "unary" else [forms[side].format(sign) for sign in signs]
    fit = [text for text in texts if _answers(text, x=number)]
    text = draw(st.sampled_from(fit)) if fit else reject()
    scope.note(f"side:{side}", *([f"left:{name}"] if side == "left" else []))
    scope.bind("operation", f"lambda x: {text}")
    return scope.recipe()


# Nodes and arrays that a path leads into, with the last step and whether a cursor copies them.
_CUSTOM = """\
class CuCustom:
    def __init__(self, x):
        self.x = x


jtu.register_pytree_node(CuCustom, lambda node: ((node.x,), None), lambda _, x: CuCustom(*x))
"""
_HOLDERS: tuple[tuple[str, str, Path, tuple[str, ...]], ...] = (
    ("dict", "{'a': 0.0}", (["a"],), ()),
    ("list", "[1, 0.0]", ([1],), ()),
    ("frozen", "flax.core.freeze({'a': 0.0})", (["a"],), ()),
    ("jax-array", "jax.device_put(np.float32([1.0, 2.0]))", ([0],), ()),
    ("numpy-array", "np.float32([1.0, 2.0])", ([1],), ()),
    ("nnx-state", "nnx.State({'a': 0.0})", (["a"],), ()),
    ("Partial", "jtu.Partial(max, key=0.0)", ("keywords", ["key"]), ()),
    ("custom", "CuCustom(0.0)", ("x",), (_CUSTOM,)),
)
_AROUND: tuple[tuple[str, Path], ...] = (
    ("{'w': $, 'b': 1}", (["w"],)),
    ("[1, $]", ([1],)),
    ("flax.core.freeze({'a': [$]})", (["a"], [0])),
    ("$", ()),
)


@st.composite
def cursor_elements(draw: st.DrawFn) -> Recipe:
    """Draw a `tree` and the `path` of a number in some node or array inside it.

    The feature is `holder:` followed by the name of the node or array.
    """
    scope = Scope()
    name, holder, inner, definitions = draw(st.sampled_from(_HOLDERS))
    around, outer = draw(st.sampled_from(_AROUND))
    scope.note(f"holder:{name}")
    scope.define(*definitions)
    scope.bind("tree", around.replace("$", holder))
    scope.bind("path", repr((*outer, *inner)))
    return scope.recipe()
