"""Numbers, and ways to differentiate a function of them by a rule of its own."""

from __future__ import annotations

from typing import Any

import jax
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope

_TWIN = """\
class TwinNumbers(eqx.Module):
    one: typing.Any
    other: typing.Any
"""
_TOTAL = """\
def total_of_numbers(tree):
    return sum(jnp.sum(jnp.asarray(leaf)) for leaf in jtu.tree_leaves(tree))
"""
_ONES = """\
def ones_like_numbers(tree):
    return jtu.tree_map(jnp.ones_like, tree)
"""
_ROWS = """\
def two_rows_of_numbers(tree):
    return jtu.tree_map(lambda leaf: jnp.stack([leaf, leaf]), tree)
"""
_ARRAYS = """\
def arrays_of_numbers(tree):
    return jtu.tree_map(jnp.asarray, tree)
"""
_DEFINITIONS = (_TWIN, _TOTAL, _ONES, _ROWS, _ARRAYS)
_NUMBERS = {
    "python-float": "3.0",
    "numpy-scalar": "np.float32(3.0)",
    "numpy-double": "np.float64(3.0)",
    "numpy-0d": "np.asarray(3.0, np.float32)",
    "jax-0d": "jax.device_put(np.float32(3.0))",
    "weak": "jnp.asarray(3.0)",
    "numpy": "np.float32([3.0, 0.0])",
    "jax": "jax.device_put(np.float32([3.0, -0.0]))",
    "empty": "jax.device_put(np.zeros((0, 2), np.float32))",
    "bfloat16": "jnp.asarray([3.0, 1.0], jnp.bfloat16)",
    "numpy-bfloat16": "np.asarray([3.0, 1.0], jnp.bfloat16)",
}
_COMPLEX = {
    "python-complex": "(3.0 + 1.0j)",
    "numpy-complex": "np.complex64([3.0 + 1.0j])",
    "complex": "jax.device_put(np.complex64([3.0 + 1.0j]))",
}
_TREES = ("{0}", "[{0}]", "({0}, {1})", "dict(b={0}, a=[{1}])", "TwinNumbers({0}, {1})")
_LOSS = "lambda tree: total_of_numbers(function(tree))"
# Reverse mode; `function` and `x` are given.
REVERSE = {
    "grad": f"jax.grad({_LOSS})(x)",
    "value-and-grad": f"jax.value_and_grad({_LOSS})(x)",
    "vjp": "jax.vjp(function, x)[1](ones_like_numbers(function(x)))",
    "vjp-value": "jax.vjp(function, x)[0]",
    "jacrev": "jax.jacrev(function)(x)",
    "jit-of-grad": f"jax.jit(jax.grad({_LOSS}))(x)",
    "grad-of-jit": "jax.grad(lambda tree: total_of_numbers(jax.jit(function)(tree)))(x)",
    "grad-of-checkpoint": (
        "jax.grad(lambda tree: total_of_numbers(jax.checkpoint(function)(tree)))(x)"
    ),
    "vmap-of-grad": f"jax.vmap(jax.grad({_LOSS}))(two_rows_of_numbers(x))",
    "grad-of-vmap": (
        "jax.grad(lambda tree: total_of_numbers(jax.vmap(function)(tree)))(two_rows_of_numbers(x))"
    ),
    "filter-grad": f"eqx.filter_grad({_LOSS})(x)",
    "filter-vjp": (
        "eqx.filter_vjp(function, arrays_of_numbers(x))[1](ones_like_numbers(function(x)))"
    ),
}
FORWARD = {
    "jvp": "jax.jvp(function, (x,), (ones_like_numbers(x),))",
    "jacfwd": "jax.jacfwd(function)(x)",
    "linearize": "jax.linearize(function, x)[1](ones_like_numbers(x))",
    "jit-of-jvp": "jax.jit(lambda tree: jax.jvp(function, (tree,), (tree,)))(x)",
    "vmap-of-jacfwd": "jax.vmap(jax.jacfwd(function))(two_rows_of_numbers(x))",
    "filter-jacfwd": "eqx.filter_jacfwd(function)(arrays_of_numbers(x))",
}


# Ways that differentiate complex functions.
_OF_COMPLEX = {"vjp", "vjp-value", "filter-vjp", "jvp", "linearize", "jit-of-jvp"}


@st.composite
def derivations(draw: st.DrawFn, ways: dict[str, str]) -> Recipe:
    """Bind `derive`, which differentiates a function of a tree of numbers at `x`.

    Features: `way:<name>`, and `number:<name>` of each kind of number in the tree.
    """
    scope = Scope()
    scope.define(*_DEFINITIONS)
    way = draw(st.sampled_from(list(ways)))
    _bind_numbers(draw, scope, "x", {**_NUMBERS, **(_COMPLEX if way in _OF_COMPLEX else {})})
    scope.note(f"way:{way}")
    scope.bind("derive", f"lambda function, x: {ways[way]}")
    return scope.recipe()


@st.composite
def two_arguments(draw: st.DrawFn) -> Recipe:
    """Bind `x` and `y`, and `call`, which gives a function `y` by position or by name."""
    scope = Scope()
    scope.define(*_DEFINITIONS)
    for name in ("x", "y"):
        _bind_numbers(draw, scope, name, _NUMBERS)
    text = draw(st.sampled_from(("function(x, y)", "function(x, y=y)", "function(x, [y, 'on'])")))
    scope.bind("call", f"lambda function, x, y: {text}")
    return scope.recipe()


def _bind_numbers(draw: st.DrawFn, scope: Scope, name: str, numbers: dict[str, str]) -> None:
    """Bind a number or a tree of two."""
    kinds = [draw(st.sampled_from(list(numbers))) for _ in range(2)]
    shape = draw(st.sampled_from(_TREES))
    scope.note(*(f"number:{kind}" for kind in kinds[: 1 + ("{1}" in shape)]))
    scope.bind(name, shape.format(*(numbers[kind] for kind in kinds)))


def tenfold(custom: Any) -> Any:
    """Return a function that doubles a tree, whose rules say that it multiplies by ten."""
    function = custom(lambda tree, *rest, **named: _times(2, tree))
    if hasattr(function, "def_jvp"):
        function.def_jvp(_push)
    else:
        function.def_fwd(lambda perturbed, tree, *rest, **named: (_times(2, tree), None))
        function.def_bwd(lambda kept, given, *rest, **named: _times(10, given))
    return function


def tenfold_of_jax(custom: Any) -> Any:
    """Return the same function, from `jax.custom_jvp` or `jax.custom_vjp`."""
    function = custom(lambda tree: _times(2, tree))
    if custom is jax.custom_jvp:
        function.defjvp(_push)
    else:
        function.defvjp(
            lambda tree: (_times(2, tree), None), lambda kept, given: (_times(10, given),)
        )
    return function


def _push(primals: Any, tangents: Any) -> Any:
    return _times(2, primals[0]), _times(10, tangents[0])


def _times(number: int, tree: Any) -> Any:
    return jtu.tree_map(lambda leaf: leaf * number, tree)
