"""Equinox: `tree_equal`."""

from __future__ import annotations

import jax
import jax.tree_util as jtu
import numpy as np
from jax.core import Tracer

from hypothesis_pytrees import leaves, trees
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.leaves.leaves import COMPARABLE, pool
from treelaws.core.law import Topic
from treelaws.equality import equal, true

from ._tree_equal_inputs import (
    ARRAY_AND_SCALAR,
    NUMPY_AND_JAX,
    OTHER_DTYPE,
    OTHER_SHAPE,
    OTHER_VALUE,
    alike,
    alike_arrays,
    tolerances,
    with_one_other_leaf,
    without_arrays,
)

law = Topic("equinox.tree_equal", "Equinox: tree_equal", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/manipulation/#equinox.tree_equal"
_GITHUB = "https://github.com/patrick-kidger/equinox"
_NEEDS = {"tree_equal"}
EQUAL_TO_THEMSELVES = pool(tuple(kind for kind in COMPARABLE if "leaf:nan" not in kind.features))


@law(
    "`tree_equal(tree, tree)` is True if each leaf equals itself, with and without `typematch`",
    source=_DOCS,
    needs=_NEEDS,
    case=cases(tree=trees(EQUAL_TO_THEMSELVES, history=True)),
    weight=2,
)
def a_tree_equals_itself(lib, case):
    true(bool(lib.tree_equal(case.tree, case.tree)), case.tree, "equal to itself")
    true(bool(lib.tree_equal(case.tree, case.tree, typematch=True)), case.tree, "equal to itself")


@law(
    "one leaf of another value makes two trees unequal, and so does NaN",
    source=_DOCS,
    needs=_NEEDS,
    case=with_one_other_leaf(OTHER_VALUE),
)
def another_value_makes_a_difference(lib, case):
    true(not lib.tree_equal(case.one, case.other), True, "unequal: a leaf has another value")


@law(
    "arrays of different shapes are unequal, including empty arrays and scalars",
    source=_DOCS,
    needs=_NEEDS,
    case=with_one_other_leaf(OTHER_SHAPE),
)
def another_shape_makes_a_difference(lib, case):
    true(not lib.tree_equal(case.one, case.other), True, "unequal: a leaf has another shape")


@law(
    "arrays of different dtypes are unequal",
    source=_DOCS,
    needs=_NEEDS,
    case=with_one_other_leaf(OTHER_DTYPE),
)
def another_dtype_makes_a_difference(lib, case):
    true(not lib.tree_equal(case.one, case.other), True, "unequal: a leaf has another dtype")


@law(
    "an array and a Python scalar of the same value are unequal",
    source=f"{_GITHUB}/issues/967",
    needs=_NEEDS,
    level="should",
    case=with_one_other_leaf(ARRAY_AND_SCALAR),
)
def an_array_is_no_scalar(lib, case):
    true(not lib.tree_equal(case.one, case.other), True, "unequal: an array and a scalar")


@law(
    "trees of different structures are unequal, whatever their leaves are",
    source=_DOCS,
    needs=_NEEDS,
    case=cases(one=trees(leaves(), history=True), other=trees(leaves())),
)
def another_structure_makes_a_difference(lib, case):
    same_structure = jtu.tree_structure(case.one) == jtu.tree_structure(case.other)
    true(same_structure or lib.tree_equal(case.one, case.other) is False, case.one, "False")
    true(lib.tree_equal(case.one, [case.one]) is False, case.one, "False")
    true(lib.tree_equal((case.one,), [case.one]) is False, case.one, "False")


@law(
    "`tree_equal` is symmetric at zero tolerance",
    source=_DOCS,
    needs=_NEEDS,
    case=alike(),
)
def tree_equal_is_symmetric(lib, case):
    for keywords in ({}, {"typematch": True}):
        there = bool(lib.tree_equal(case.one, case.other, **keywords))
        back = bool(lib.tree_equal(case.other, case.one, **keywords))
        equal(back, there)


@law(
    "`tree_equal` is transitive at zero tolerance",
    source=_DOCS,
    needs=_NEEDS,
    case=alike(3),
    weight=3.0,
)
def tree_equal_is_transitive(lib, case):
    chain = bool(lib.tree_equal(case.one, case.other)) and lib.tree_equal(case.other, case.third)
    true(not chain or bool(lib.tree_equal(case.one, case.third)), False, "True")


@law(
    "several trees are equal if each of them equals the first; a single tree equals itself",
    source=_DOCS,
    needs=_NEEDS,
    case=alike(3),
)
def several_trees_are_compared_with_the_first(lib, case):
    pairs = [bool(lib.tree_equal(case.one, other)) for other in (case.other, case.third)]
    got = bool(lib.tree_equal(case.one, case.other, case.third))
    equal(got, all(pairs))
    true(lib.tree_equal(case.one) is True, lib.tree_equal(case.one), "True for a single tree")


@law(
    "trees are equal exactly if their structures are equal and their leaves are equal pair by pair",
    source=_DOCS,
    needs=_NEEDS,
    case=alike(max_leaves=4),
)
def trees_are_equal_leaf_by_leaf(lib, case):
    (one, left), (other, right) = jtu.tree_flatten(case.one), jtu.tree_flatten(case.other)
    wanted = left == right and all(map(lib.tree_equal, one, other))
    got = bool(lib.tree_equal(case.one, case.other))
    equal(got, wanted)


@law(
    "NumPy and JAX arrays of the same value are equal",
    source=_DOCS,
    needs=_NEEDS,
    case=with_one_other_leaf(NUMPY_AND_JAX),
)
def numpy_equals_jax(lib, case):
    true(bool(lib.tree_equal(case.one, case.other)), False, "True: NumPy or JAX does not matter")


@law(
    "with `typematch=True`, NumPy and JAX arrays are unequal",
    source=_DOCS,
    needs=_NEEDS,
    case=with_one_other_leaf(NUMPY_AND_JAX),
)
def typematch_tells_numpy_from_jax(lib, case):
    got = lib.tree_equal(case.one, case.other, typematch=True)
    true(not got, got, "False: a NumPy array is not a JAX array")


@law(
    "`typematch=True` requires leaves of the same type, and nothing else",
    source=_DOCS,
    needs=_NEEDS,
    case=alike(),
    weight=3.0,
)
def typematch_demands_one_type(lib, case):
    leaves = zip(jtu.tree_leaves(case.one), jtu.tree_leaves(case.other), strict=False)
    types = all(type(one) is type(other) for one, other in leaves)
    wanted = bool(lib.tree_equal(case.one, case.other)) and types
    got = bool(lib.tree_equal(case.one, case.other, typematch=True))
    equal(got, wanted)


@law(
    "inexact arrays of any dtype within `rtol` and `atol` are equal",
    source=_DOCS,
    needs=_NEEDS,
    case=tolerances(),
)
def tolerance_accepts_what_is_close(lib, case):
    true(bool(lib.tree_equal(case.one, case.other, **case.enough)), False, f"True: {case.enough}")


@law(
    "inexact arrays outside of `rtol` and `atol` are unequal; both are zero by default",
    source=_DOCS,
    needs=_NEEDS,
    case=tolerances(),
)
def tolerance_refuses_what_is_far(lib, case):
    for tolerance in (case.too_little, {}):
        got = lib.tree_equal(case.one, case.other, **tolerance)
        true(not got, got, f"False: they are outside of {tolerance}")


@law(
    "`rtol` and `atol` do not apply to integers and booleans",
    source=_DOCS,
    needs=_NEEDS,
    case=tolerances(exact=True),
)
def tolerance_is_for_inexact_arrays(lib, case):
    got = lib.tree_equal(case.one, case.other, **case.enough)
    true(not got, got, "False: tolerances are for floating and complex arrays")


@law(
    "`tree_equal(tree, tree)` of a tree with traced arrays returns True or a traced bool",
    source=_DOCS,
    needs=_NEEDS,
    case=cases(tree=trees(pool((COMPARABLE[0], COMPARABLE[1])), max_leaves=3)),
)
def traced_arrays_give_a_bool(lib, case):
    def compare(array):
        return lib.tree_equal([case.tree, array], [case.tree, array])

    traced = []
    jax.eval_shape(lambda array: traced.append(compare(array)), jax.numpy.float32(1.0))
    verdict = traced[0]
    is_traced = isinstance(verdict, Tracer) and (verdict.shape, verdict.dtype) == ((), bool)
    true(verdict is True or is_traced, verdict, "True, or a tracer of one bool")


@law(
    "`tree_equal` returns the same answer under `jit` as outside of it",
    source=_DOCS,
    needs=_NEEDS | {"filter_jit"},
    case=alike_arrays(),
)
def jit_gives_the_same_verdict(lib, case):
    """Both sides get JAX arrays, since `jit` converts every NumPy array to one."""
    one, other = jtu.tree_map(_as_jax_array, (case.one, case.other))
    got = bool(lib.filter_jit(lambda *trees: lib.tree_equal(*trees))(one, other))
    wanted = bool(lib.tree_equal(one, other))
    equal(got, wanted)


@law(
    "`tree_equal` returns the Python object `True` for equal trees without arrays",
    source=_DOCS,
    needs=_NEEDS,
    case=without_arrays(),
)
def without_arrays_the_verdict_is_static(lib, case):
    got = lib.tree_equal(case.one, case.other)
    true(got is True, got, "the Python object True")


def _as_jax_array(leaf):
    return jax.numpy.asarray(leaf) if isinstance(leaf, np.ndarray) else leaf
