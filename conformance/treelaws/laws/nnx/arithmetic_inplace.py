"""Flax NNX: operators of Python that change what is on their left, with a Variable."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import refuses, same

from ._model import described, same_rows
from .arithmetic import law

_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/variablelib.py#L1949-L2027"
_TESTS = "https://github.com/google/flax/blob/v0.12.8/tests/nnx/variable_test.py#L78-L91"
_INTEGERS = ("iand", "ior", "ixor", "ilshift", "irshift")
_NUMBERS = ("iadd", "isub", "imul", "ifloordiv", "imod", "ipow", "imatmul")
_NAMES = (*_NUMBERS, *_INTEGERS)
_VALUES = (
    "jnp.array([[3, 1], [2, 5]])",
    "jnp.array([[4, 4], [1, 0]])",
    "jnp.array([[7, 7], [7, 7]])",
)
_OTHERS = ("2", "jnp.array([[1, 2], [2, 1]])", "nnx.Param(jnp.array([[2, 1], [1, 1]]))")
_TYPES = ("nnx.Param", "nnx.Variable", "nnx.Cache")


@st.composite
def _inplace(draw: st.DrawFn, names: tuple[str, ...] = _NAMES) -> Recipe:
    """Draw `variable` of integers, `other`, and `function`, an operator that works in place."""
    scope = Scope()
    scope.bind("variable", f"{draw(st.sampled_from(_TYPES))}({draw(st.sampled_from(_VALUES))})")
    name = draw(st.sampled_from(names))
    scope.bind("function", f"operator.{name}")
    scope.bind("plain", f"operator.{name[1:]}{'_' * (name in ('iand', 'ior'))}")
    # A number is no matrix.
    others = _OTHERS if name != "imatmul" else ("variable", "nnx.Param(variable[...])")
    scope.bind("other", draw(st.sampled_from(others)))
    return scope.recipe()


@law(
    "an operator that works in place raises NotImplementedError for a Variable, which stays as it "
    "is",
    source=_CODE,
    level="should",
    needs={"Variable.set_value"},
    case=_inplace((*_NAMES, "itruediv")),
)
def variables_are_not_changed_by_operators(lib, case):
    before = described(case.variable)
    refuses(NotImplementedError, lambda: case.function(case.variable, case.other))
    same_rows(described(case.variable), before)


@law(
    "an operator that works in place on `variable[...]` gives the Variable the result for its "
    "value, if that has the dtype of the value",
    source=_TESTS,
    level="should",
    needs={"Variable.set_value"},
    # JAX warns that it will refuse to set integers to what division gives.
    case=_inplace(),
)
def values_are_changed_by_operators(lib, case):
    value = case.variable[...]
    result = case.plain(value, case.other)
    case.variable[...] = case.function(value, case.other)
    same(case.variable.get_value(), result)
