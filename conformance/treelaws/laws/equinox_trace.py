"""Equinox: tracing without running, closures, checkpoints, callbacks and derivatives by hand."""

from __future__ import annotations

import jax
import jax.extend
import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.cases import cases
from hypothesis_pytrees.structures import structure_pairs, structures

from ..keywords import keywords
from ..law import Topic
from ..same import refuses, same, true
from ..transformed import (
    doubled,
    energy,
    inexact_leaves,
    is_array,
    is_inexact,
    of_inexact,
    only_inexact,
    structs,
    with_inexact,
)

law = Topic("equinox.trace", "Equinox: tracing, callbacks, derivatives by hand", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/transformations/#equinox."
_CODE = "https://github.com/patrick-kidger/equinox/blob/main/equinox/_ad.py"
_FINITE = structures(finite=True)
_INEXACT = structures(finite=True, inexact=True)
_ARRAYS = structures(statics=False, finite=True, inexact=True)


@law(
    "filter_eval_shape gives what the function gives, with shapes and dtypes in place of arrays",
    source=f"{_DOCS}filter_eval_shape",
    needs={"filter_eval_shape"},
    case=cases(tree=structures()),
    weight=0.5,
)
def eval_shape_is_the_shape_of_the_result(lib, case):
    same(lib.filter_eval_shape(doubled, case.tree), structs(doubled(case.tree)))


@law(
    "filter_eval_shape takes shapes and dtypes in place of arrays",
    source=f"{_DOCS}filter_eval_shape",
    needs={"filter_eval_shape"},
    case=cases(tree=structures()),
    level="should",
    weight=0.5,
)
def eval_shape_takes_shapes(lib, case):
    got = lib.filter_eval_shape(doubled, structs(case.tree))
    same(got, lib.filter_eval_shape(doubled, case.tree))


@law(
    "a static leaf keeps its type and sign through filter_eval_shape, after an equal one too",
    source=f"{_DOCS}filter_eval_shape",
    needs={"filter_eval_shape"},
    case=structure_pairs("type"),
    weight=0.3,
    parents=(eval_shape_is_the_shape_of_the_result,),
)
def eval_shape_tells_equal_leaves_apart(lib, case):
    for tree in (case.tree, case.other):
        same(lib.filter_eval_shape(doubled, tree), structs(doubled(tree)))


@law(
    "the jaxpr of filter_make_jaxpr computes the arrays that the function gives",
    source=f"{_DOCS}filter_make_jaxpr",
    needs={"filter_make_jaxpr"},
    case=cases(tree=structures()),
    weight=0.3,
)
def jaxpr_computes_the_function(lib, case):
    jaxpr = lib.filter_make_jaxpr(doubled)(case.tree)[0]
    got = jax.extend.core.jaxpr_as_fun(jaxpr)(*_arrays(case.tree))
    same(list(got), _arrays(doubled(case.tree)))


@law(
    "filter_make_jaxpr gives the shapes of the result and, apart from them, what is no array",
    source=f"{_DOCS}filter_make_jaxpr",
    needs={"filter_make_jaxpr"},
    case=cases(tree=structures()),
    weight=0.3,
)
def jaxpr_comes_with_shapes_and_the_rest(lib, case):
    wanted = structs(doubled(case.tree))
    shapes, rest = lib.filter_make_jaxpr(doubled)(case.tree)[1:]
    same(shapes, jtu.tree_map(lambda leaf: leaf if _is_struct(leaf) else None, wanted))
    same(rest, jtu.tree_map(lambda leaf: None if _is_struct(leaf) else leaf, wanted))


@law(
    "filter_make_jaxpr traces shapes and dtypes as it traces arrays",
    source=f"{_DOCS}filter_make_jaxpr",
    needs={"filter_make_jaxpr"},
    case=cases(tree=structures()),
    weight=0.3,
)
def jaxpr_of_shapes_is_the_jaxpr_of_arrays(lib, case):
    make = lib.filter_make_jaxpr(doubled)
    true(str(make(structs(case.tree))[0]) == str(make(case.tree)[0]), make, "the same jaxpr")


@law(
    "filter_make_jaxpr takes keyword arguments of any name",
    source=f"{_DOCS}filter_make_jaxpr",
    needs={"filter_make_jaxpr"},
    case=cases(tree=structures(), keyword=keywords()),
    weight=0.3,
)
def jaxpr_takes_keywords_of_any_name(lib, case):
    make = lib.filter_make_jaxpr(lambda tree, **options: (doubled(tree), *options.values()))
    same(make(case.tree, **{case.keyword: 2.0})[1:], make(case.tree, option=2.0)[1:])


@law(
    "a closure-converted function gives what the function gives, for other values too",
    source=f"{_DOCS}filter_closure_convert",
    needs={"filter_closure_convert"},
    case=structure_pairs("arrays"),
    weight=0.3,
)
def converted_closure_equals_the_closure(lib, case):
    shift = jnp.float32(3)
    closure = lambda tree: (doubled(tree), shift + shift)
    converted = lib.filter_closure_convert(closure, case.tree)
    for tree in (case.tree, case.other):
        same(converted(tree), closure(tree))


@law(
    "what a function closes over while JAX traces is in the structure of its closure conversion",
    source=f"{_DOCS}filter_closure_convert",
    needs={"filter_closure_convert"},
    case=cases(tree=_FINITE, closed=_ARRAYS),
    weight=0.3,
)
def converted_closure_holds_what_it_closes_over(lib, case):
    def fact(closed):
        values = _arrays(doubled(closed))
        converted = lib.filter_closure_convert(lambda tree: (doubled(tree), values), case.tree)
        held = [id(leaf) for leaf in jtu.tree_leaves(converted)]
        true(all(id(value) in held for value in values), converted, "the values closed over")

    jax.eval_shape(fact, case.closed)


@law(
    "derivatives reach what a closure-converted function closes over",
    source=f"{_DOCS}filter_closure_convert",
    needs={"filter_closure_convert"},
    case=cases(tree=_FINITE, closed=_ARRAYS),
    weight=0.2,
)
def converted_closure_is_differentiated(lib, case):
    def by_conversion(leaves):
        closed = with_inexact(case.closed, leaves)
        closure = lambda tree: energy(closed) + energy(tree)
        return lib.filter_closure_convert(closure, case.tree)(case.tree)

    leaves = inexact_leaves(case.closed)
    same(jax.grad(by_conversion)(leaves), jax.grad(of_inexact(energy, case.closed))(leaves))


@law(
    "a closure-converted function refuses arrays of other shapes",
    source=_CODE,
    needs={"filter_closure_convert"},
    case=cases(tree=_ARRAYS),
    level="should",
    weight=0.2,
)
def converted_closure_refuses_other_shapes(lib, case):
    other = jtu.tree_map(lambda leaf: jnp.stack([leaf, leaf]), case.tree)
    converted = lib.filter_closure_convert(_closure(), case.tree)
    refuses(ValueError, lambda: converted(other))


@law(
    "a closure-converted function refuses other static leaves",
    source=_CODE,
    needs={"filter_closure_convert"},
    case=structure_pairs("static"),
    level="should",
    weight=0.2,
)
def converted_closure_refuses_other_static_leaves(lib, case):
    converted = lib.filter_closure_convert(_closure(), case.tree)
    refuses(ValueError, lambda: converted(case.other))


@law(
    "a closure-converted function gives no result of a leaf of another type: it refuses it, or"
    " gives what the function gives",
    source=_CODE,
    needs={"filter_closure_convert"},
    case=structure_pairs(),
    level="should",
    weight=0.2,
    parents=(converted_closure_refuses_other_static_leaves,),
)
def converted_closure_mixes_no_equal_leaves(lib, case):
    converted = lib.filter_closure_convert(_closure(), case.tree)
    try:
        got = converted(case.other)
    except ValueError:
        return
    same(got, _closure()(case.other))


@law(
    "a checkpointed function gives what the function gives",
    source=f"{_DOCS}filter_checkpoint",
    needs={"filter_checkpoint"},
    case=structure_pairs("type"),
    weight=0.2,
)
def checkpointed_function_equals_the_function(lib, case):
    checkpointed = lib.filter_checkpoint(doubled)
    for tree in (case.tree, case.other):
        same(checkpointed(tree), doubled(tree))


@law(
    "the gradient through a checkpoint is the gradient without it",
    source=f"{_DOCS}filter_checkpoint",
    needs={"filter_checkpoint"},
    case=cases(tree=_FINITE),
    weight=0.15,
)
def checkpoint_keeps_the_gradient(lib, case):
    checkpointed = lambda tree: energy(lib.filter_checkpoint(doubled)(tree))
    plain = lambda tree: energy(doubled(tree))
    leaves = inexact_leaves(case.tree)
    got = jax.grad(of_inexact(checkpointed, case.tree))(leaves)
    same(got, jax.grad(of_inexact(plain, case.tree))(leaves))


@law(
    "a callback gives its result, arrays and other leaves, in and outside compiled functions",
    source=f"{_DOCS}filter_pure_callback",
    needs={"filter_pure_callback"},
    case=cases(tree=structures(scalars=False)),
    weight=0.1,
)
def callback_gives_its_result(lib, case):
    shapes = structs(doubled(case.tree))
    call = lambda tree: lib.filter_pure_callback(doubled, tree, result_shape_dtypes=shapes)
    same(call(case.tree), doubled(case.tree))
    arrays = [leaf for leaf in jtu.tree_leaves(case.tree) if is_array(leaf)]
    compiled = jax.jit(lambda arrays: _arrays(call(_with_arrays(case.tree, arrays))))
    same(compiled(arrays), _arrays(doubled(case.tree)))


@law(
    "a callback whose leaves that are no arrays differ from those announced is refused",
    source="https://github.com/patrick-kidger/equinox/blob/main/equinox/_callback.py",
    needs={"filter_pure_callback"},
    case=structure_pairs("static", inexact=True),
    level="should",
    weight=0.1,
)
def callback_with_another_static_leaf_is_refused(lib, case):
    """Some result is an array: JAX need not run a callback whose arrays nobody uses."""
    call = lambda: lib.filter_pure_callback(
        doubled, case.tree, result_shape_dtypes=structs(doubled(case.other))
    )
    refuses((ValueError, RuntimeError), lambda: jax.block_until_ready(call()))


@law(
    "a function with a derivative by hand gives what the function gives",
    source=f"{_DOCS}filter_custom_jvp",
    needs={"filter_custom_jvp"},
    case=cases(tree=_FINITE, option=structures()),
    weight=0.2,
)
def custom_jvp_keeps_the_value(lib, case):
    same(_by_jvp(lib)(case.tree, option=case.option), energy(case.tree))


@law(
    "the rule by hand is the derivative: twice the true one gives twice the gradient",
    source=f"{_DOCS}filter_custom_jvp",
    needs={"filter_custom_jvp"},
    case=cases(tree=_FINITE, option=structures()),
    weight=0.2,
)
def custom_jvp_is_the_derivative(lib, case):
    function = lambda tree: _by_jvp(lib)(tree, option=case.option)
    leaves = inexact_leaves(case.tree)
    got = jax.grad(of_inexact(function, case.tree))(leaves)
    same(got, jax.grad(of_inexact(lambda tree: 2 * energy(tree), case.tree))(leaves))


@law(
    "the rule by hand gets None for the tangent of whatever is not differentiated",
    source=f"{_DOCS}filter_custom_jvp",
    needs={"filter_custom_jvp"},
    case=cases(tree=_INEXACT, still=_FINITE),
    weight=0.2,
)
def custom_jvp_rule_gets_none_for_the_rest(lib, case):
    seen = []
    function = _by_jvp(lib, seen.append)
    leaves = inexact_leaves(case.tree)
    jax.jvp(of_inexact(lambda tree: function((tree, case.still)), case.tree), (leaves,), (leaves,))
    nowhere = jtu.tree_map(lambda leaf: None, case.still)
    same(seen, [(only_inexact(case.tree, leaves), nowhere)])


@law(
    "a function with a backward pass by hand gives what the function gives, any leaves included",
    source=f"{_DOCS}filter_custom_vjp",
    needs={"filter_custom_vjp"},
    case=cases(tree=structures(), option=structures()),
    weight=0.2,
)
def custom_vjp_keeps_the_value(lib, case):
    got = _by_vjp(lib)(case.tree, case.option, option=case.option)
    same(got, (doubled(case.tree), doubled(case.option)))


@law(
    "the backward pass by hand is the derivative: twice the true one gives twice the gradient",
    source=f"{_DOCS}filter_custom_vjp",
    needs={"filter_custom_vjp"},
    case=cases(tree=_FINITE, option=structures()),
    weight=0.2,
)
def custom_vjp_is_the_derivative(lib, case):
    function = lambda tree: energy(_by_vjp(lib)(tree, case.option, option=case.option)[0])
    leaves = inexact_leaves(case.tree)
    got = jax.grad(of_inexact(function, case.tree))(leaves)
    wanted = jax.grad(of_inexact(lambda tree: 2 * energy(doubled(tree)), case.tree))(leaves)
    same(got, wanted)


@law(
    "the forward pass by hand is told of each leaf whether it is differentiated",
    source=f"{_DOCS}filter_custom_vjp",
    needs={"filter_custom_vjp"},
    case=cases(tree=_INEXACT, still=_FINITE),
    weight=0.2,
)
def custom_vjp_is_told_what_is_differentiated(lib, case):
    seen = []
    function = _by_vjp(lib, seen.append)
    moved = lambda tree: energy(function((tree, case.still), None)[0])
    jax.grad(of_inexact(moved, case.tree))(inexact_leaves(case.tree))
    nothing = jtu.tree_map(lambda leaf: False, case.still)
    same(seen, [(jtu.tree_map(is_inexact, case.tree), nothing)])


@law(
    "a gradient by hand of another structure than the first argument is refused",
    source=_CODE,
    needs={"filter_custom_vjp"},
    case=cases(tree=_INEXACT),
    level="should",
    weight=0.1,
)
def custom_vjp_of_another_structure_is_refused(lib, case):
    function = _by_vjp(lib, gradient=lambda gradient: (gradient,))
    moved = of_inexact(lambda tree: energy(function(tree, None)[0]), case.tree)
    refuses(RuntimeError, lambda: jax.grad(moved)(inexact_leaves(case.tree)))


@law(
    "a function whose passes by hand are not both defined cannot be called",
    source=_CODE,
    needs={"filter_custom_vjp"},
    case=cases(tree=_FINITE),
    level="should",
    weight=0.1,
)
def custom_vjp_needs_both_passes(lib, case):
    function = lib.filter_custom_vjp(doubled)
    refuses(RuntimeError, lambda: function(case.tree))
    function.def_fwd(lambda perturbed, tree: (doubled(tree), None))
    refuses(RuntimeError, lambda: function(case.tree))


def _by_jvp(lib, tell=lambda tangent: None):
    """Give `energy` with twice its derivative, which tells the tangent of its argument."""
    function = lib.filter_custom_jvp(lambda tree, *, option=None: energy(tree))

    @function.def_jvp
    def rule(primals, tangents, *, option=None):
        (tree,), (tangent,) = primals, tangents
        tell(tangent)
        pairs = zip(*map(_paired_leaves, (tree, tangent)), strict=True)
        steps = [4 * jnp.sum(leaf * step) for leaf, step in pairs if step is not None]
        return function(tree, option=option), sum(steps, start=jnp.float32(0))

    return function


def _by_vjp(lib, tell=lambda perturbed: None, gradient=lambda gradient: gradient):
    """Give `doubled` with twice its derivative, which tells what is differentiated."""

    @lib.filter_custom_vjp
    def function(tree, *args, option=None):
        return doubled(tree), doubled(option)

    @function.def_fwd
    def forward(perturbed, tree, *args, option=None):
        tell(perturbed)
        return function(tree, *args, option=option), None

    @function.def_bwd
    def backward(residuals, cotangent, perturbed, tree, *args, option=None):
        steps = jtu.tree_map(lambda leaf: 4 * leaf, cotangent[0])
        return gradient(steps)

    return function


def _paired_leaves(tree):
    return jtu.tree_leaves(tree, is_leaf=lambda node: node is None)


def _closure():
    shift = jnp.float32(1)
    return lambda tree: (doubled(tree), shift)


def _arrays(tree):
    return [jnp.asarray(leaf) for leaf in jtu.tree_leaves(tree) if is_array(leaf)]


def _with_arrays(tree, arrays):
    rest = iter(arrays)
    return jtu.tree_map(lambda leaf: next(rest) if is_array(leaf) else leaf, tree)


def _is_struct(leaf):
    return isinstance(leaf, jax.ShapeDtypeStruct)
