"""Flax NNX: every operator of Python with a Variable, in each case."""

from __future__ import annotations

import operator

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.nnx.variables import variables
from treelaws.equality import same

from .arithmetic import an_operator_takes_the_value, law

_BASICS = "https://flax.readthedocs.io/en/latest/nnx_basics.html#the-flax-nnx-module-system"
_BINARY = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift"),
    *("and_", "or_", "xor"),
)
_UNARY = ("neg", "pos", "abs", "invert")
_INTEGERS = ("jnp.array([3, 1])", "jnp.array([[2, 5], [1, 4]])", "jnp.array([4])")
_VALUES = st.sampled_from([Recipe((), (), text) for text in _INTEGERS])


@law(
    "each operator of Python takes a Variable of integers on either side as it takes the value",
    source=_BASICS,
    needs={"Variable.get_value"},
    case=cases(variable=variables(_VALUES, metadata=False)),
    parents=[an_operator_takes_the_value],
)
def each_operator_takes_the_value(lib, case):
    value = case.variable.get_value()
    for name in _BINARY:
        function = getattr(operator, name)
        same(function(case.variable, 2), function(value, 2))
        same(function(2, case.variable), function(2, value))
    for name in _UNARY:
        same(getattr(operator, name)(case.variable), getattr(operator, name)(value))
    same(case.variable @ value, value @ value)
