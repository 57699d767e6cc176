"""Equinox: `is_array`, `is_array_like`, `is_inexact_array`, `is_inexact_array_like`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.leaves.dtypes import EVERY_DTYPE, EXTENDED, PLAIN
from hypothesis_pytrees.leaves.leaves import (
    CALLABLE_OBJECTS,
    EVERY,
    JAX_ARRAYS,
    OBJECTS,
    PRNG_KEYS,
    PYTHON_SCALARS,
    pool,
)
from treelaws.core.law import Topic
from treelaws.core.mismatch import shown
from treelaws.equality import same, true

law = Topic("equinox.predicates", "Equinox: is_array and related predicates", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/manipulation/"
_ALL = {"is_array", "is_array_like", "is_inexact_array", "is_inexact_array_like"}

_BOX = """\
class ArrayBox:
    def __init__(self, array):
        self.array = array

    def __jax_array__(self):
        return self.array
"""


def _box(name: str, text: str) -> Kind:
    return Kind("leaf", text, (_BOX,), (f"leaf:jax-array-{name}",))


# Objects with `__jax_array__`, which the functions of JAX convert to arrays.
_BOXES = (
    _box("float", "ArrayBox(jax.device_put(np.float32([1.0, 2.0])))"),
    _box("int", "ArrayBox(jax.device_put(np.int32([1, 2])))"),
    _box("bfloat16", "ArrayBox(jax.device_put(np.asarray([1.0, 2.0], jnp.bfloat16)))"),
)
_BOX_CLASS = _box("class", "ArrayBox")
_MODULES = """\
class ElementModule(eqx.Module):
    weight: typing.Any


class CallableElement(ElementModule):
    def __call__(self, x):
        return x
"""
_WEIGHT = "jax.device_put(np.float32([1.0, 2.0]))"
# Nodes that hold arrays, and are none.
_HOLDERS = tuple(
    Kind("leaf", text, (_MODULES,), (f"leaf:{name}",))
    for name, text in (
        ("module", f"ElementModule({_WEIGHT})"),
        ("callable-module", f"CallableElement({_WEIGHT})"),
        ("equinox-partial", f"eqx.Partial(max, {_WEIGHT})"),
        ("layer", "eqx.nn.Lambda(max)"),
    )
)
_OTHERS = (
    *OBJECTS,
    *CALLABLE_OBJECTS,
    *_HOLDERS,
    *(kind for kind in EVERY if "leaf-is:hostile" in kind.features),
    *(
        Kind("leaf", text, (), (f"leaf:{name}",))
        for name, text in (
            ("none", "None"),
            ("list", "[1.0]"),
            ("numpy-type", "np.float32"),
            ("jax-type", "jnp.bfloat16"),
            ("dtype", "np.dtype('float32')"),
            ("range", "range(3)"),
            ("bytes", "b'1'"),
        )
    ),
    _BOX_CLASS,
)
# JAX does not support string arrays, but they are NumPy arrays.
_NO_ARRAYS = tuple(kind for kind in _OTHERS if "leaf:str-array" not in kind.features)
_ARRAYS = (
    *(kind for kind in EVERY_DTYPE if "leaf-is:numpy-scalar" not in kind.features),
    *JAX_ARRAYS,
    *PRNG_KEYS,
)
_SCALARS = tuple(kind for kind in EVERY_DTYPE if "leaf-is:numpy-scalar" in kind.features)
_LEAVES = cases(leaf=pool((*_OTHERS, *_ARRAYS, *_SCALARS, *PYTHON_SCALARS, *_BOXES)))
_JAX = tuple(
    kind
    for kind in (*PLAIN, *EXTENDED, *JAX_ARRAYS)
    if kind in JAX_ARRAYS or "leaf-is:jax" in kind.features
)
# JAX rejects an int of more than 32 bits.
_TRACEABLE = tuple(kind for kind in PYTHON_SCALARS if "leaf:big-int" not in kind.features)
# Arrays that a jitted function can close over: JAX supports their dtypes.
_CLOSED_OVER = (
    *_JAX * 3,
    *(kind for kind in (*PLAIN, *EXTENDED) if "longdouble" not in kind.template),
)


@st.composite
def _traced_or_not(draw: st.DrawFn) -> Recipe:
    """Draw a JAX array and whether a predicate gets it as a tracer."""
    scope = Scope()
    scope.bind("leaf", draw(pool((*_JAX, *PRNG_KEYS))))
    traced = draw(st.booleans())
    scope.bind("traced", repr(traced))
    scope.note(f"context:{'traced' if traced else 'eager'}")
    return scope.recipe()


@law(
    "`is_array` is True for every JAX array and every NumPy array, whatever its dtype and shape",
    source=f"{_DOCS}#equinox.is_array",
    needs={"is_array"},
    case=cases(leaf=pool((*_ARRAYS, *(*PRNG_KEYS,) * 20))),
)
def arrays_are_arrays(lib, case):
    true(lib.is_array(case.leaf), case.leaf, "is_array says True")


@law(
    "`is_array` is True for a NumPy scalar, since `jit` traces it",
    source="https://github.com/patrick-kidger/equinox/pull/1243",
    level="should",
    needs={"is_array"},
    case=cases(leaf=pool(_SCALARS)),
)
def numpy_scalars_are_arrays(lib, case):
    true(lib.is_array(case.leaf), case.leaf, "is_array says True")


@law(
    "`is_array` and `is_inexact_array` are False for a Python number, a string, a type and a plain"
    " object",
    source=f"{_DOCS}#equinox.is_array",
    needs={"is_array", "is_inexact_array"},
    case=cases(leaf=pool((*_NO_ARRAYS, *PYTHON_SCALARS, *_BOXES))),
)
def other_leaves_are_no_arrays(lib, case):
    true(lib.is_array(case.leaf) is False, case.leaf, "is_array says False")
    true(lib.is_inexact_array(case.leaf) is False, case.leaf, "is_inexact_array says False")


@law(
    "`is_array_like` is True for a Python number; `is_inexact_array_like` is True for float and"
    " complex only",
    source=f"{_DOCS}#equinox.is_array_like",
    needs={"is_array_like", "is_inexact_array_like"},
    case=cases(leaf=pool(tuple(PYTHON_SCALARS))),
)
def python_numbers_are_array_like(lib, case):
    true(lib.is_array_like(case.leaf), case.leaf, "is_array_like says True")
    inexact = isinstance(case.leaf, (float, complex))
    answer = lib.is_inexact_array_like(case.leaf)
    true(answer is inexact, case.leaf, f"is_inexact_array_like says {inexact}")


@law(
    "`is_array_like` and `is_inexact_array_like` are False for a string, a type and a plain object",
    source=f"{_DOCS}#equinox.is_array_like",
    needs={"is_array_like", "is_inexact_array_like"},
    case=cases(leaf=pool(_NO_ARRAYS)),
)
def other_leaves_are_not_array_like(lib, case):
    true(lib.is_array_like(case.leaf) is False, case.leaf, "is_array_like says False")
    answer = lib.is_inexact_array_like(case.leaf)
    true(answer is False, case.leaf, "is_inexact_array_like says False")


@law(
    "an object with `__jax_array__` is array-like, and it is inexact exactly if its array is",
    source="https://github.com/patrick-kidger/equinox/issues/19",
    level="should",
    needs=_ALL,
    case=cases(leaf=pool(_BOXES)),
)
def what_becomes_an_array_is_array_like(lib, case):
    true(lib.is_array_like(case.leaf), case.leaf, "is_array_like says True")
    wanted = lib.is_inexact_array(case.leaf.array)
    answer = lib.is_inexact_array_like(case.leaf)
    true(answer is wanted, case.leaf, f"is_inexact_array_like says {wanted}")


@law(
    "an array is inexact exactly if its dtype is floating-point or complex",
    source=f"{_DOCS}#equinox.is_inexact_array",
    needs={"is_inexact_array", "is_inexact_array_like"},
    case=cases(leaf=pool((*_ARRAYS, *_SCALARS))),
)
def inexact_means_floating_or_complex(lib, case):
    wanted = jnp.issubdtype(case.leaf.dtype, jnp.inexact)
    for predicate in (lib.is_inexact_array, lib.is_inexact_array_like):
        answer = predicate(case.leaf)
        true(answer is wanted, case.leaf, f"{predicate.__name__} says {wanted}")


@law(
    "the four predicates give the same answers for a JAX array and for its NumPy copy",
    source="https://github.com/patrick-kidger/equinox/pull/202",
    level="should",
    needs=_ALL,
    case=cases(leaf=pool(_JAX)),
    parents=(inexact_means_floating_or_complex,),
)
def a_numpy_copy_is_what_its_array_is(lib, case):
    same(_four_answers(lib, np.asarray(case.leaf)), _four_answers(lib, case.leaf))


@law(
    "each of the four predicates returns a bool",
    source=f"{_DOCS}#equinox.is_array",
    needs=_ALL,
    case=_LEAVES,
    parents=(other_leaves_are_not_array_like,),
)
def every_answer_is_a_bool(lib, case):
    answers = _four_answers(lib, case.leaf)
    true(all(type(answer) is bool for answer in answers), answers, "four bools")


@law(
    "`is_array` implies `is_array_like`, and `is_inexact_array` implies `is_inexact_array_like`",
    source="https://github.com/patrick-kidger/equinox/pull/1112",
    level="should",
    needs=_ALL,
    case=_LEAVES,
    parents=(other_leaves_are_not_array_like,),
)
def an_array_is_array_like(lib, case):
    array, array_like = lib.is_array(case.leaf), lib.is_array_like(case.leaf)
    true(array_like or not array, case.leaf, "is_array implies is_array_like")
    inexact, inexact_like = lib.is_inexact_array(case.leaf), lib.is_inexact_array_like(case.leaf)
    implied = "is_inexact_array implies is_inexact_array_like"
    true(inexact_like or not inexact, case.leaf, implied)


@law(
    "`is_inexact_array` implies `is_array`, and `is_inexact_array_like` implies `is_array_like`",
    source=f"{_DOCS}#equinox.is_inexact_array_like",
    needs=_ALL,
    case=_LEAVES,
    parents=(other_leaves_are_not_array_like,),
)
def what_is_inexact_is_an_array(lib, case):
    array, inexact = lib.is_array(case.leaf), lib.is_inexact_array(case.leaf)
    true(array or not inexact, case.leaf, "is_inexact_array implies is_array")
    array_like, inexact_like = lib.is_array_like(case.leaf), lib.is_inexact_array_like(case.leaf)
    implied = "is_inexact_array_like implies is_array_like"
    true(array_like or not inexact_like, case.leaf, implied)


@law(
    "`is_array`, `is_array_like` and `is_inexact_array` give the same answer for a tracer as for"
    " its array",
    source=f"{_DOCS}#equinox.is_array",
    needs={"is_array", "is_array_like", "is_inexact_array"},
    case=cases(leaf=pool((*_JAX, *PRNG_KEYS))),
)
def a_tracer_is_what_its_array_is(lib, case):
    def answers(leaf):
        return [lib.is_array(leaf), lib.is_array_like(leaf), lib.is_inexact_array(leaf)]

    same(_inside_a_trace(answers, case.leaf), answers(case.leaf))


@law(
    "`is_inexact_array_like` is True for an array exactly if its dtype is inexact, traced or not",
    source=f"{_DOCS}#equinox.is_inexact_array_like",
    needs={"is_inexact_array_like"},
    case=_traced_or_not(),
)
def inexact_array_like_answers_in_a_trace(lib, case):
    """Outside of a trace too, since every case inside a trace is a known failure."""
    wanted = jnp.issubdtype(case.leaf.dtype, jnp.inexact)
    predicate = lib.is_inexact_array_like
    answer = _inside_a_trace(predicate, case.leaf) if case.traced else predicate(case.leaf)
    true(answer is wanted, answer, f"is_inexact_array_like says {wanted}")


@law(
    "a Python number is an array once it is traced",
    source=f"{_DOCS}#equinox.is_array",
    needs={"is_array", "is_inexact_array", "is_inexact_array_like"},
    case=cases(leaf=pool(_TRACEABLE)),
)
def a_traced_number_is_an_array(lib, case):
    true(_inside_a_trace(lib.is_array, case.leaf), case.leaf, "is_array says True")
    wanted = lib.is_inexact_array_like(case.leaf)
    answer = _inside_a_trace(lib.is_inexact_array, case.leaf)
    true(answer is wanted, case.leaf, f"is_inexact_array says {wanted}")


@law(
    "every output of `jax.jit` is an array and array-like, and it is inexact exactly if its dtype"
    " is",
    source=f"{_DOCS}#equinox.is_array",
    needs=_ALL,
    case=cases(leaf=pool((*_CLOSED_OVER, *(*PRNG_KEYS,) * 20, *_TRACEABLE))),
)
def what_jit_hands_out_is_an_array(lib, case):
    leaf = _jitted_identity(case.leaf)
    inexact = jnp.issubdtype(leaf.dtype, jnp.inexact)
    same(_four_answers(lib, leaf), (True, True, inexact, inexact))


@law(
    "`is_array` is True for every array among the constants and literals of a jaxpr",
    source="https://github.com/patrick-kidger/equinox/issues/1095",
    level="should",
    needs={"is_array"},
    case=cases(leaf=pool(_CLOSED_OVER), other=pool(_CLOSED_OVER)),
)
def constants_of_a_jaxpr_are_arrays(lib, case):
    for value in _constants(case.leaf, case.other):
        true(lib.is_array(value), _typed(value), "is_array says True")


@law(
    "`is_array_like` is True for every array among the constants and literals of a jaxpr",
    source="https://github.com/patrick-kidger/equinox/pull/1112",
    level="should",
    needs={"is_array_like"},
    case=cases(leaf=pool(_CLOSED_OVER), other=pool(_JAX)),
    parents=(constants_of_a_jaxpr_are_arrays,),
)
def constants_of_a_jaxpr_are_array_like(lib, case):
    for value in _constants(case.leaf, case.other):
        true(lib.is_array_like(value), _typed(value), "is_array_like says True")


@law(
    "an array among the constants and literals of a jaxpr is inexact exactly if its dtype is",
    source=f"{_DOCS}#equinox.is_inexact_array",
    level="should",
    needs={"is_inexact_array", "is_inexact_array_like"},
    case=cases(leaf=pool(_CLOSED_OVER), other=pool(_JAX)),
    parents=(constants_of_a_jaxpr_are_arrays, inexact_means_floating_or_complex),
)
def constants_of_a_jaxpr_are_inexact_as_their_dtype(lib, case):
    for value in _constants(case.leaf, case.other):
        wanted = jnp.issubdtype(value.dtype, jnp.inexact)
        for predicate in (lib.is_inexact_array, lib.is_inexact_array_like):
            answer = predicate(value)
            true(answer is wanted, _typed(value), f"{predicate.__name__} says {wanted}")


def _inside_a_trace(function: Callable[[Any], Any], leaf: Any) -> Any:
    """Call a function with a tracer of the leaf and return its result, of any type."""
    answers = []
    jax.eval_shape(lambda leaf: answers.append(function(leaf)), leaf)
    return answers[0]


# One function for all examples, so each dtype compiles once.
_jitted_identity = jax.jit(lambda leaf: leaf)


def _four_answers(lib: Any, leaf: Any) -> tuple[bool, bool, bool, bool]:
    """Return the answers of the four predicates."""
    return (
        lib.is_array(leaf),
        lib.is_array_like(leaf),
        lib.is_inexact_array(leaf),
        lib.is_inexact_array_like(leaf),
    )


def _constants(*leaves: Any) -> list[Any]:
    """Return every array in the jaxpr of a function that returns and selects the leaves."""

    def function(flag):
        chosen = [jax.lax.select(flag, jnp.asarray(leaf), jnp.asarray(leaf)) for leaf in leaves]
        return leaves, chosen

    closed = jax.make_jaxpr(function)(True)
    found: list[Any] = [*closed.consts]
    _collect(closed.jaxpr, found)
    return [value for value in found if hasattr(value, "dtype") and hasattr(value, "shape")]


def _collect(jaxpr: Any, found: list[Any]) -> None:
    literals = [*jaxpr.outvars, *(atom for eqn in jaxpr.eqns for atom in eqn.invars)]
    found += [atom.val for atom in literals if hasattr(atom, "val")]
    for eqn in jaxpr.eqns:
        for inner in jtu.tree_leaves(list(eqn.params.values())):
            found += getattr(inner, "consts", [])
            inner = getattr(inner, "jaxpr", inner)
            if hasattr(inner, "eqns"):
                _collect(inner, found)


def _typed(value: Any) -> str:
    return f"{type(value).__name__} {shown(value)}"
