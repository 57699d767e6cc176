"""Flax NNX: Variables in expressions."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import JAX_ARRAYS, recipe_of
from hypothesis_pytrees.nnx.variables import variables
from treelaws.core.law import Topic
from treelaws.core.mismatch import first_line, shown
from treelaws.equality import same, true

law = Topic("nnx.arithmetic", "Flax NNX: Variables in expressions", family="nnx")
_BASICS = "https://flax.readthedocs.io/en/latest/nnx_basics.html#the-flax-nnx-module-system"
_EQUAL = "https://github.com/google/flax/blob/v0.12.8/tests/nnx/variable_test.py#L96-L107"
_NOT_EQUAL = "https://docs.python.org/3/reference/datamodel.html#object.__ne__"
_BETWEEN = "https://github.com/google/flax/pull/4641"
_TRUTH = "https://docs.python.org/3/library/stdtypes.html#truth-value-testing"
_NUMPY = "https://numpy.org/doc/stable/reference/arrays.classes.html#numpy.class.__array__"
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/variablelib.py#L2044-L2057"
_JAX_ARRAY = "https://docs.jax.dev/en/latest/jep/28661-jax-array-protocol.html"
_SHAPES = {"leaf:float32", "leaf:float32-scalar", "leaf:int32", "leaf:bool", "leaf:bfloat16"}
_ARRAYS = [
    *(recipe_of(kind) for kind in JAX_ARRAYS if _SHAPES & set(kind.features)),
    *(
        Recipe((), (), f"jax.device_put(np.{text})", frozenset({"leaf", "leaf-is:array"}))
        for text in ("int32(3)", "float32(0)", "bool_(True)", "int32(-2)", "uint8(1)")
    ),
]
_NUMBERS = [
    Recipe((), (), text, frozenset({"leaf", f"value:{name}"}))
    for text, name in (("3", "int"), ("2.5", "float"), ("True", "bool"), ("0", "int"))
]
# Python takes the length for the truth value; that of an array is the value of its only element.
_TRUTHS = [
    Recipe((), (), text, frozenset({"leaf", f"truth:{name}"}))
    for name, texts in {
        "length": ("(0,)", "()", "{'a': 0}", "[]", "'text'"),
        "one-true": ("jax.device_put(np.float32([1.0]))", "np.ones((1, 1))", "np.array([True])"),
        "one-false": ("jax.device_put(np.float32([0.0]))", "np.zeros((1, 1))", "np.array([False])"),
        "several": ("jax.device_put(np.float32([0.0, 0.0]))", "np.ones((1, 2))"),
        "no-length": ("3", "0.0", "jax.device_put(np.bool_(True))", "jax.device_put(np.int32(0))"),
    }.items()
    for text in texts
]
# Few shapes and types, since each pair is compiled once per operator. NumPy arrays are left out,
# since JAX decides how they combine with JAX arrays.
_JAX_ARRAYS = st.sampled_from(_ARRAYS)
_VALUES = st.sampled_from([*_ARRAYS, *_NUMBERS])
_OPERATORS = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift"),
    *("and_", "or_", "xor"),
)
_UNARY = ("operator.neg", "operator.pos", "abs", "operator.invert")
_CONVERSIONS = (
    *("int", "float", "complex", "operator.index", "round", "lambda value: round(value, 1)"),
    *("math.floor", "math.ceil", "math.trunc"),
)


_IN_NUMPY = ("np.asarray", "np.array", "np.shape", "np.sum", "np.negative")


@st.composite
def _expression(
    draw: st.DrawFn,
    functions: tuple[str, ...],
    *,
    other: bool = False,
    values: st.SearchStrategy[Recipe] = _VALUES,
) -> Recipe:
    """Draw `variable`, its `value`, a `function`, and `other` if the function takes two."""
    scope = Scope()
    value = draw(values)
    scope.bind("value", value)
    scope.bind("variable", draw(variables(st.just(value), metadata=False)))
    if other:
        drawn = draw(_VALUES)
        scope.bind("other", drawn)
        scope.note(*(f"other-{name}" for name in drawn.features))
    chosen = draw(st.sampled_from(functions))
    scope.bind("function", chosen)
    scope.note(f"function:{chosen}")
    return scope.recipe()


_NUMERIC = tuple(f"operator.{name}" for name in _OPERATORS)
_BINARY = _expression((*_NUMERIC, "divmod"), other=True)


@law(
    "a binary operator gives the same result for a Variable on its left as for the value",
    source=_BASICS,
    needs={"Variable"},
    case=_BINARY,
)
def an_operator_takes_the_value(lib, case):
    wanted = _outcome(lambda: case.function(case.value, case.other))
    _agree(_outcome(lambda: case.function(case.variable, case.other)), wanted)


@law(
    "a binary operator gives the same result for a Variable on its right as for the value",
    source=_BASICS,
    needs={"Variable"},
    case=_BINARY,
)
def a_reflected_operator_takes_the_value(lib, case):
    wanted = _outcome(lambda: case.function(case.other, case.value))
    _agree(_outcome(lambda: case.function(case.other, case.variable)), wanted)


@law(
    "a binary operator gives the same result for two Variables as for their values",
    source=_BETWEEN,
    level="should",
    needs={"Variable"},
    case=_BINARY,
)
def an_operator_takes_two_variables(lib, case):
    wanted = _outcome(lambda: case.function(case.value, case.other))
    _agree(_outcome(lambda: case.function(case.variable, lib.Param(case.other))), wanted)


@law(
    "a unary operator gives the same result for a Variable as for its value",
    source=_BASICS,
    needs={"Variable"},
    case=_expression(_UNARY),
)
def a_unary_operator_takes_the_value(lib, case):
    wanted = _outcome(lambda: case.function(case.value))
    _agree(_outcome(lambda: case.function(case.variable)), wanted)


@law(
    "converting or rounding a Variable gives the same result as for its value",
    source=_CODE,
    level="should",
    needs={"Variable"},
    case=_expression(_CONVERSIONS),
)
def a_conversion_takes_the_value(lib, case):
    wanted = _outcome(lambda: case.function(case.value))
    _agree(_outcome(lambda: case.function(case.variable)), wanted)


@law(
    "`bool(variable)` and `not variable` give the result of the value, or raise as the value does",
    source=_TRUTH,
    level="should",
    needs={"Variable"},
    case=_expression(("bool", "operator.not_"), values=st.sampled_from(_TRUTHS)),
)
def a_variable_is_true_or_false(lib, case):
    wanted = _outcome(lambda: case.function(case.value))
    _agree(_outcome(lambda: case.function(case.variable)), wanted)


@law(
    "`variable == other` compares the value with a number, an array or the value of a Variable",
    source=_EQUAL,
    level="should",
    needs={"Variable.get_value"},
    case=_expression(("operator.eq",), other=True),
)
def equality_is_that_of_the_values(lib, case):
    wanted = _outcome(lambda: case.value == case.other)
    _agree(_outcome(lambda: case.variable == case.other), wanted)
    _agree(_outcome(lambda: case.variable == lib.Param(case.other)), wanted)


@law(
    "`variable != other` is the opposite of `variable == other`, element by element",
    source=_NOT_EQUAL,
    level="should",
    needs={"Variable.get_value"},
    case=_expression(("operator.ne",), other=True),
)
def inequality_is_the_opposite_of_equality(lib, case):
    answers = np.asarray(case.variable == case.other)
    same(np.asarray(case.variable != case.other), np.asarray(np.logical_not(answers)))


@law(
    "NumPy functions return the same result for a Variable as for its value",
    source=_NUMPY,
    level="should",
    needs={"Variable"},
    case=_expression(_IN_NUMPY, values=_JAX_ARRAYS),
)
def numpy_takes_the_value(lib, case):
    wanted = _outcome(lambda: case.function(case.value))
    _agree(_outcome(lambda: case.function(case.variable)), wanted)


@law(
    "`jax.numpy` functions return the same result for a Variable as for its value",
    source=_JAX_ARRAY,
    level="should",
    needs={"Variable"},
    case=_expression(("jnp.asarray", "jnp.sum", "jnp.shape"), values=_JAX_ARRAYS),
)
def jax_takes_the_value(lib, case):
    wanted = _outcome(lambda: case.function(case.value))
    _agree(_outcome(lambda: case.function(case.variable)), wanted)


def _outcome(step):
    try:
        return "returned", step()
    except Exception as raised:
        return type(raised).__name__, first_line(raised)


def _agree(got, wanted):
    """Check for the same result, or for an error of any type if the value itself raises one."""
    returned = wanted[0] == "returned"
    true((got[0] == "returned") is returned, f"{got[0]} {shown(got[1])}", shown(wanted[1]))
    if returned:
        same(got[1], wanted[1])
