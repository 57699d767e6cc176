"""Equinox: `filter_closure_convert`, `filter_checkpoint`, `filter_pure_callback`."""

from __future__ import annotations

import warnings

import jax
import jax.extend
import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.trees.batching import batched
from hypothesis_pytrees.trees.structures import structure_pairs, structures
from treelaws.equality import equal, refuses, same, true

from ._functions import (
    arrays_of,
    doubled,
    energy,
    inexact_leaves,
    of_inexact,
    repeated,
    structs,
    with_arrays,
    with_inexact,
)
from .trace import law

_DOCS = "https://docs.kidger.site/equinox/api/transformations/#equinox."
_CODE = "https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/_ad.py#L546-L567"
_FINITE = structures(finite=True)
# Without numbers, nothing is called back.
_ROWS = batched(2).filter(lambda recipe: "leaf:batched-empty" not in recipe.features)
_METHODS = st.sampled_from(
    [Recipe(expression=text) for text in ("'sequential'", "'expand_dims'", "'broadcast_all'")]
)
# Options of a callback; `True` and `False` are what JAX took before it had methods.
_OPTIONS = {
    "none": "{}",
    "vmap-method": "dict(vmap_method='expand_dims')",
    "sequential": "dict(vmap_method='sequential')",
    "sharding": "dict(sharding=jax.sharding.SingleDeviceSharding(jax.devices()[0]))",
    "vectorized": "dict(vectorized=True)",
    "unvectorized": "dict(vectorized=False)",
}
_ARRAYS = structures(statics=False, finite=True, inexact=True)
# A number alone, which is not an array: other values are refused.
_ONE_NUMBER = st.sampled_from(
    [Recipe(statements=(f"tree = {text}", "other = tree")) for text in ("1", "0.5", "True")]
)


@law(
    "a function that is closure-converted, whether it closes over arrays or not, returns the same "
    "result as before, also for other values",
    source=f"{_DOCS}filter_closure_convert",
    needs={"filter_closure_convert"},
    case=structure_pairs("arrays") | _ONE_NUMBER,
)
def converted_closure_equals_the_closure(lib, case):
    # Equinox does not trace a function that closes over nothing.
    for function in (_closure(), doubled):
        converted = lib.filter_closure_convert(function, case.tree)
        for tree in (case.tree, case.other):
            same(converted(tree), function(tree))


@law(
    "the traced values that a function closes over are leaves of the closure-converted function",
    source=f"{_DOCS}filter_closure_convert",
    needs={"filter_closure_convert"},
    case=cases(tree=_FINITE, closed=_ARRAYS),
)
def converted_closure_holds_what_it_closes_over(lib, case):
    def fact(closed):
        values = arrays_of(doubled(closed))
        converted = lib.filter_closure_convert(lambda tree: (doubled(tree), values), case.tree)
        held = [id(leaf) for leaf in jtu.tree_leaves(converted)]
        true(all(id(value) in held for value in values), converted, "the values closed over")

    jax.eval_shape(fact, case.closed)


@law(
    "gradients reach the values that a closure-converted function closes over",
    source=f"{_DOCS}filter_closure_convert",
    needs={"filter_closure_convert"},
    case=cases(tree=_FINITE, closed=_ARRAYS),
)
def converted_closure_is_differentiated(lib, case):
    plain = lambda closed: energy(closed) + energy(case.tree)

    def by_conversion(leaves):
        closed = with_inexact(case.closed, leaves)
        closure = lambda tree: energy(closed) + energy(tree)
        return lib.filter_closure_convert(closure, case.tree)(case.tree)

    leaves = inexact_leaves(case.closed)
    wanted = jax.value_and_grad(lambda leaves: plain(with_inexact(case.closed, leaves)))(leaves)
    same(jax.value_and_grad(by_conversion)(leaves), wanted)


@law(
    "a closure-converted function raises ValueError for arrays of other shapes",
    source=_CODE,
    needs={"filter_closure_convert"},
    case=cases(tree=_ARRAYS),
    level="should",
)
def converted_closure_refuses_other_shapes(lib, case):
    other = jtu.tree_map(lambda leaf: jnp.stack([leaf, leaf]), case.tree)
    for function in (_closure(), doubled):
        converted = lib.filter_closure_convert(function, case.tree)
        refuses(ValueError, lambda converted=converted: converted(other))


@law(
    "a closure-converted function raises ValueError for other static leaves",
    source=_CODE,
    needs={"filter_closure_convert"},
    case=structure_pairs("static"),
    level="should",
)
def converted_closure_refuses_other_static_leaves(lib, case):
    for function in (_closure(), doubled):
        converted = lib.filter_closure_convert(function, case.tree)
        refuses(ValueError, lambda converted=converted: converted(case.other))


@law(
    "for another static leaf, even an equal one, a closure-converted function raises ValueError or"
    " returns the result of the original function",
    source=f"{_DOCS}filter_closure_convert",
    needs={"filter_closure_convert"},
    level="should",
    case=structure_pairs("type", "static"),
    parents=(converted_closure_refuses_other_static_leaves,),
)
def converted_closure_mixes_no_equal_leaves(lib, case):
    """The code compares static leaves with `tree_equal`, for which 1 equals True."""
    converted = lib.filter_closure_convert(_closure(), case.tree)
    try:
        got = converted(case.other)
    except ValueError:
        return
    same(got, _closure()(case.other))


@law(
    "`filter_checkpoint(f)(tree)` equals `f(tree)`",
    source=f"{_DOCS}filter_checkpoint",
    needs={"filter_checkpoint"},
    case=structure_pairs("type"),
)
def checkpointed_function_equals_the_function(lib, case):
    checkpointed = lib.filter_checkpoint(doubled)
    for tree in (case.tree, case.other):
        same(checkpointed(tree), doubled(tree))


@law(
    "the gradient through `filter_checkpoint` equals the gradient without it",
    source=f"{_DOCS}filter_checkpoint",
    needs={"filter_checkpoint"},
    case=cases(tree=_FINITE),
)
def checkpoint_keeps_the_gradient(lib, case):
    checkpointed = lambda tree: energy(lib.filter_checkpoint(doubled)(tree))
    plain = lambda tree: energy(doubled(tree))
    leaves = inexact_leaves(case.tree)
    got = jax.grad(of_inexact(checkpointed, case.tree))(leaves)
    same(got, jax.grad(of_inexact(plain, case.tree))(leaves))


@law(
    "`filter_checkpoint` asks its `policy` about the same operations as `jax.checkpoint`",
    source=f"{_DOCS}filter_checkpoint",
    needs={"filter_checkpoint"},
    case=cases(tree=structures(finite=True, inexact=True)),
)
def checkpoint_asks_its_policy(lib, case):
    ours, theirs = [], []
    checkpointed = lib.filter_checkpoint(energy, policy=_noting(ours))
    leaves = inexact_leaves(case.tree)
    jax.grad(of_inexact(checkpointed, case.tree))(leaves)
    jax.grad(jax.checkpoint(of_inexact(energy, case.tree), policy=_noting(theirs)))(leaves)
    same(set(ours), set(theirs))


@law(
    "`filter_eval_shape` and `filter_closure_convert` pass keyword arguments to the function",
    source=f"{_DOCS}filter_closure_convert",
    needs={"filter_eval_shape", "filter_closure_convert"},
    case=structure_pairs("arrays"),
    parents=[converted_closure_equals_the_closure],
)
def keyword_arguments_reach_the_function(lib, case):
    function = lambda one, *, other: (doubled(other), one)
    given = (case.tree, {"other": case.other})
    shapes = lib.filter_eval_shape(function, given[0], **given[1])
    same(shapes, structs(function(given[0], **given[1])))
    converted = lib.filter_closure_convert(function, given[0], **given[1])
    same(converted(given[0], **given[1]), function(given[0], **given[1]))


@law(
    "`filter_pure_callback` passes keyword arguments to its callback, under `vmap` with axes as "
    "`vmap_method` says",
    source=f"{_DOCS}filter_pure_callback",
    needs={"filter_pure_callback", "callback_vmap_method"},
    case=cases(array=_ROWS, method=_METHODS),
)
def callback_is_mapped_by_its_method(lib, case):
    array, seen = jnp.asarray(case.array), set()
    struct = jax.ShapeDtypeStruct(array.shape[1:], array.dtype)
    options = {"result_shape_dtypes": struct, "vmap_method": case.method}
    noted = lambda *, row, other: (seen.add((row.shape, other.shape)), row)[1]
    call = lambda row, other: lib.filter_pure_callback(noted, row=row, other=other, **options)
    same(jax.vmap(call, in_axes=(0, None))(array, jnp.float32(1)), array)
    wanted = {"sequential": (struct.shape, ()), "expand_dims": (array.shape, (1,))}
    equal(seen, {wanted.get(case.method, (array.shape, (2,)))})


@st.composite
def _optioned(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    option = draw(st.sampled_from(list(_OPTIONS)))
    scope.note(f"callback:{option}")
    scope.bind("options", _OPTIONS[option])
    scope.bind("tree", draw(structures(scalars=False)))
    return scope.recipe()


@law(
    "`filter_pure_callback` takes each option that it documents, none of which changes the result "
    "of a single call",
    source=f"{_DOCS}filter_pure_callback",
    level="should",
    needs={"filter_pure_callback", "callback_vmap_method"},
    case=_optioned(),
)
def callback_takes_each_option(lib, case):
    """The warnings are those of JAX about an option that it was to remove."""
    options = {"result_shape_dtypes": structs(repeated(case.tree)), **case.options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        got = lib.filter_pure_callback(repeated, case.tree, **options)
        same(got, repeated(case.tree))


@law(
    "`filter_pure_callback` returns the arrays and other leaves of its callback, inside and"
    " outside of compiled functions",
    source=f"{_DOCS}filter_pure_callback",
    needs={"filter_pure_callback"},
    case=cases(tree=structures(scalars=False)),
)
def callback_gives_its_result(lib, case):
    alone = structs(repeated(case.tree))
    call = lambda tree: lib.filter_pure_callback(repeated, tree, result_shape_dtypes=alone)
    same(call(case.tree), repeated(case.tree))
    operands = [2.0, case.tree, jnp.ones(2), None]
    several = lambda *given: repeated([*given])
    shapes = structs(repeated(operands))
    got = lib.filter_pure_callback(several, *operands, result_shape_dtypes=shapes)
    same(got, repeated(operands))
    compiled = jax.jit(lambda arrays: arrays_of(call(with_arrays(case.tree, arrays))))
    same(compiled(arrays_of(case.tree)), arrays_of(repeated(case.tree)))


@law(
    "`filter_pure_callback` raises ValueError or RuntimeError if a static leaf of the result"
    " differs from `result_shape_dtypes`",
    source="https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/_callback.py#L46-L52",
    needs={"filter_pure_callback"},
    case=structure_pairs("static", inexact=True),
    level="should",
)
def callback_with_another_static_leaf_is_refused(lib, case):
    """At least one result is an array: JAX may skip a callback whose arrays are not used."""
    call = lambda: lib.filter_pure_callback(
        doubled, case.tree, result_shape_dtypes=structs(doubled(case.other))
    )
    refuses((ValueError, RuntimeError), lambda: jax.block_until_ready(call()))


def _closure():
    shift = jnp.float32(1)
    return lambda tree: (doubled(tree), shift)


def _noting(asked):
    """Return a policy that saves nothing and notes the operations that it is asked about."""
    return lambda primitive, *args, **params: bool(asked.append(str(primitive)))
