"""JAX: the options of derivatives, which mean the same in each function that has them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.trees.calls.derivatives.arguments import (
    by_arguments,
    numbers_to_ruled_functions,
    rules_by_argument,
)
from hypothesis_pytrees.trees.calls.derivatives.auxiliary import with_aux_data
from hypothesis_pytrees.trees.calls.derivatives.trees import (
    of_integers,
    products,
    sparse_derivatives,
)
from hypothesis_pytrees.trees.calls.derivatives.ways import BACKWARD, HESSIAN, JACOBIANS, OF_NUMBERS
from treelaws.core.law import Topic
from treelaws.equality import same

law = Topic("jax.derivatives", "JAX: options of derivatives", family="jax")
_API = "https://docs.jax.dev/en/latest/_autosummary"


@law(
    "`argnums` names the arguments that a derivative is taken of by integers of any type: one "
    "gives a derivative, a sequence a tuple of them in its order",
    source=f"{_API}/jax.value_and_grad.html",
    case=by_arguments((*OF_NUMBERS, *JACOBIANS, HESSIAN)),
    level="should",
    weight=10,
)
def argnums_name_the_arguments(lib, case):
    derive = case.derive(lib)
    found = derive(case.function, argnums=case.argnums)(*case.args)
    same(_arrays(found), _arrays(derive(case.whole)(case.chosen)))


@law(
    "with `has_aux` a derivative is what it is without, and the aux data, of any kind, come out "
    "beside it",
    source=f"{_API}/jax.jacfwd.html",
    case=with_aux_data(),
    level="should",
)
def aux_data_come_out(lib, case):
    found, (aux, computed) = case.run(lib)
    same(_arrays(found), _arrays(case.plain(lib)))
    same(_arrays(aux), _arrays(case.aux))
    same(_arrays(computed), _arrays(case.first(case.tree) + 1))


@law(
    "with `allow_int` the derivative by an integer or a boolean has the dtype float0, and that by "
    "a real number is what it is otherwise",
    source=f"{_API}/jax.jacrev.html",
    level="should",
    case=of_integers((*OF_NUMBERS, *BACKWARD)),
)
def derivatives_by_integers_are_float0(lib, case):
    found = case.derive(lib)(case.function, allow_int=True)(case.tree)
    wanted = jtu.tree_map(lambda leaf: _slope(leaf, case.factors), case.tree)
    same(_arrays(case.slope(found)), _arrays(wanted))


@law(
    "a Jacobian or a Hessian has the tree product of the structures of the result and of the "
    "argument, also for complex leaves and for trees without leaves",
    source=f"{_API}/jax.hessian.html",
    case=products((*OF_NUMBERS, *JACOBIANS, HESSIAN)),
    level="should",
)
def derivatives_are_tree_products(lib, case):
    found = case.derive(lib)(case.function, **case.options)(case.tree)
    block = _second if case.order == 2 else _first
    wanted = jtu.tree_map(lambda weight: block(np.asarray(weight), case.tree), case.weights)
    same(_unsigned(case.slope(found)), _unsigned(wanted))


@law(
    "a function of `jax.experimental.sparse` gives for dense trees the derivatives that the "
    "function of JAX with its name gives, whatever the options",
    source=f"{_API[:-13]}jax.experimental.sparse.html",
    level="should",
    case=sparse_derivatives(),
)
def sparse_derivatives_are_those_of_jax(lib, case):
    wanted = case.plain(case.function, **case.options)(*case.args, **case.named)
    found = case.derive(lib)(case.function, **case.options)(*case.args, **case.named)
    same(_arrays(found), _arrays(wanted))


@law(
    "with `defjvps` the tangents that the rules of the arguments give are added up, and an "
    "argument with None for a rule adds nothing",
    source="https://github.com/jax-ml/jax/issues/3389",
    case=rules_by_argument(),
    level="should",
)
def rules_of_arguments_are_added_up(lib, case):
    custom = lib.custom_jvp(case.function)
    custom.defjvps(*case.rules)
    known = zip(case.args, case.known, strict=True)
    tangents = tuple(arg if has else jtu.tree_map(np.zeros_like, arg) for arg, has in known)
    wanted = jax.jvp(case.function, case.args, tangents)
    same(_arrays(lib.jvp(custom, case.args, case.args)), _arrays(wanted))


@law(
    "a function with a rule of its own gives for numbers of Python and NumPy what it gives without "
    "a rule, where nothing is differentiated",
    # Quote: "Instances are callables that behave similarly to the underlying function".
    source=f"{_API}/jax.custom_jvp.html",
    case=numbers_to_ruled_functions(),
    level="should",
)
def ruled_functions_take_numbers(lib, case):
    found = case.ruled(lib)(*case.numbers)
    same(_arrays(found), _arrays(case.function(*case.numbers)))


def _first(weight, tree):
    """Return the derivative of a weight times half the sum of the squares in a tree."""
    return jtu.tree_map(lambda leaf: np.multiply.outer(weight, leaf), tree)


def _second(weight, tree):
    """Return the second derivative: ones where a leaf meets itself."""
    places = jtu.tree_unflatten(jtu.tree_structure(tree), range(len(jtu.tree_leaves(tree))))

    def block(here, one):
        def of_other(there, other):
            size = np.size(one)
            ones = np.eye(size, dtype=weight.dtype) if here == there else np.zeros(0)
            shape = (*np.shape(one), *np.shape(other))
            inner = ones.reshape(shape) if here == there else np.zeros(shape, weight.dtype)
            return np.multiply.outer(weight, inner)

        return jtu.tree_map(of_other, places, tree)

    return jtu.tree_map(block, places, tree)


def _slope(leaf, factors):
    """Return the derivative of the square of a leaf times factors."""
    if jnp.issubdtype(jnp.result_type(leaf), jnp.inexact):
        return np.multiply.outer(factors, 2 * np.asarray(leaf, np.float32))
    return np.zeros((*factors.shape, *np.shape(leaf)), jax.dtypes.float0)


def _unsigned(tree):
    """Return arrays without negative zeros, which products of complex numbers may give."""
    return jtu.tree_map(lambda leaf: np.asarray(leaf + 0), _arrays(tree))


def _arrays(tree):
    """Return a tree with NumPy arrays for numbers and arrays, since weak types may differ."""

    def plain_array(leaf):
        number = isinstance(leaf, (bool, int, float, complex))
        dtype = getattr(leaf, "dtype", type(leaf))
        if dtype == jax.dtypes.float0:
            return np.zeros(leaf.shape, dtype)
        plain = any(jnp.issubdtype(dtype, kind) for kind in (np.number, np.bool_))
        array = hasattr(leaf, "__array__") and not isinstance(leaf, type)
        return np.asarray(leaf, jnp.result_type(leaf)) if plain and (array or number) else leaf

    return jtu.tree_map(plain_array, tree)
