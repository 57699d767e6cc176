"""Mutants of Variables in expressions."""

from __future__ import annotations

import numpy as np

from selftest.mutant import mutant

_ID = "nnx.arithmetic."


def _every(nnx, **methods):
    """Return the library's types of Variables, each with some methods replaced."""
    names = ("Param", "BatchStat", "Cache", "Intermediate", "Variable")
    return {
        name: type(nnx.Param)(name, (getattr(nnx, name),), {"__slots__": (), **methods})
        for name in names
    }


@mutant("nnx", kills=[_ID + "an_operator_takes_the_value"])
def operators_are_turned_around(nnx):
    """`variable - other` is `other - variable`, and so on."""
    names = ("sub", "truediv", "floordiv", "mod", "pow")
    methods = {f"__{name}__": getattr(nnx.Variable, f"__r{name}__") for name in names}
    return _every(nnx, **methods)


@mutant("nnx", kills=[_ID + "a_reflected_operator_takes_the_value"])
def reflected_operators_are_not_reflected(nnx):
    """`number - variable` is `variable - number`, and so on."""
    names = ("sub", "truediv", "floordiv", "mod", "pow")
    methods = {f"__r{name}__": getattr(nnx.Variable, f"__{name}__") for name in names}
    return _every(nnx, **methods)


@mutant("nnx", kills=[_ID + "an_operator_takes_two_variables"])
def products_of_variables_are_refused(nnx):
    """Two Variables cannot be multiplied."""

    def multiply(self, other):
        if isinstance(other, nnx.Variable):
            raise TypeError("two Variables")
        return nnx.Variable.__mul__(self, other)

    return _every(nnx, __mul__=multiply)


@mutant("nnx", kills=[_ID + "a_unary_operator_takes_the_value"])
def the_absolute_value_is_the_value(nnx):
    """`-variable` is the value."""
    return _every(nnx, __neg__=lambda self: self.get_value())


@mutant("nnx", kills=[_ID + "a_conversion_takes_the_value"])
def conversions_give_one_more(nnx):
    """`int`, `float`, `complex` and an index of a Variable are one too many."""

    def int_(self):
        return int(self.get_value()) + 1

    def float_(self):
        return float(self.get_value()) + 1

    def complex_(self):
        return complex(self.get_value()) + 1

    return _every(nnx, __int__=int_, __index__=int_, __float__=float_, __complex__=complex_)


@mutant("nnx", kills=[_ID + "a_variable_is_true_or_false"])
def truth_is_refused(nnx):
    """Testing a Variable for truth raises, as the in-place operators do."""

    def refuse(self):
        raise NotImplementedError("a Variable has no truth value")

    return _every(nnx, __bool__=refuse)


@mutant("nnx", kills=[_ID + "a_variable_is_true_or_false"])
def every_variable_is_true(nnx):
    """A Variable is true, as any object without a length."""
    return _every(nnx, __bool__=lambda self: True)


@mutant("nnx", kills=[_ID + "equality_is_that_of_the_values"])
def equality_is_identity(nnx):
    """Variables compare by identity, as in flax 0.11."""
    return _every(nnx, __eq__=lambda self, other: self is other, __hash__=object.__hash__)


@mutant("nnx", kills=[_ID + "inequality_is_the_opposite_of_equality"])
def everything_is_unequal(nnx):
    """`variable != other` is always true."""
    return _every(nnx, __ne__=lambda self, other: True)


@mutant("nnx", kills=[_ID + "numpy_takes_the_value"])
def numpy_gets_zeros(nnx):
    """NumPy sees an array of zeros."""

    def array(self, dtype=None, copy=None):
        return np.zeros_like(np.asarray(self.get_value()), dtype=dtype)

    return _every(nnx, __array__=array)


@mutant("nnx", kills=[_ID + "jax_takes_the_value"])
def jax_gets_the_first_item(nnx):
    """jax.numpy sees the first item of a vector."""

    def first(self):
        value = self.get_value()
        return value[0] if getattr(value, "ndim", 0) else value

    return _every(nnx, __jax_array__=first)
