"""Equinox: custom derivatives: `filter_custom_jvp` and `filter_custom_vjp`."""

from __future__ import annotations

import jax
import jax.extend
import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.trees.structures import structures
from treelaws.equality import refuses, same

from ._functions import (
    doubled,
    energy,
    inexact_leaves,
    is_inexact,
    of_inexact,
    only_inexact,
    with_jax_arrays,
)
from .trace import law

_DOCS = "https://docs.kidger.site/equinox/api/transformations/#equinox."
_CODE = "https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/_ad.py"
_FINITE = structures(finite=True)
_INEXACT = structures(finite=True, inexact=True)
# Numbers alone, which are not arrays.
_NUMBERS = st.sampled_from([Recipe(expression=text) for text in ("1", "0.5", "-2", "2j", "True")])


@law(
    "a function from `filter_custom_jvp` returns the value of the original function",
    source=f"{_DOCS}filter_custom_jvp",
    needs={"filter_custom_jvp"},
    case=cases(tree=_FINITE | _NUMBERS, option=structures()),
)
def custom_jvp_keeps_the_value(lib, case):
    function = _energy_by_rule(lib.filter_custom_jvp)
    for options in ({}, {"option": case.option}, {"option": lambda: 1}):
        same(function(case.tree, **options), energy(case.tree))
        same(function(case.tree, case.option, **options), energy(case.tree))


@law(
    "JAX uses the custom JVP rule: a rule with twice the derivative gives twice the gradient",
    source=f"{_DOCS}filter_custom_jvp",
    needs={"filter_custom_jvp"},
    case=cases(tree=_FINITE, option=structures()),
)
def custom_jvp_is_the_derivative(lib, case):
    function = lambda tree: _energy_by_rule(lib.filter_custom_jvp)(tree, option=case.option)
    leaves = inexact_leaves(case.tree)
    value, got = jax.value_and_grad(of_inexact(function, case.tree))(leaves)
    same(value, energy(case.tree))
    same(got, jax.grad(of_inexact(lambda tree: 2 * energy(tree), case.tree))(leaves))


@law(
    "the custom JVP rule gets `None` as the tangent of each leaf that is not differentiated",
    source=f"{_DOCS}filter_custom_jvp",
    needs={"filter_custom_jvp"},
    case=cases(tree=_INEXACT, still=_FINITE),
)
def custom_jvp_rule_gets_none_for_the_rest(lib, case):
    seen = []
    function = _energy_by_rule(lib.filter_custom_jvp, lambda tangent, *_: seen.append(tangent))
    leaves = inexact_leaves(case.tree)
    jax.jvp(of_inexact(lambda tree: function((tree, case.still)), case.tree), (leaves,), (leaves,))
    nowhere = jtu.tree_map(lambda leaf: None, case.still)
    same(seen, [(only_inexact(case.tree, leaves), nowhere)])


@law(
    "the custom JVP rule gets all inputs of the function",
    source=f"{_DOCS}filter_custom_jvp",
    needs={"filter_custom_jvp"},
    case=cases(tree=_INEXACT, still=_FINITE, option=_FINITE),
)
def custom_jvp_rule_gets_the_inputs(lib, case):
    seen, leaves = [], inexact_leaves(case.tree)
    function = _energy_by_rule(lib.filter_custom_jvp, lambda tangent, *held: seen.append(held))
    moved = of_inexact(lambda tree: function((tree, case.still), option=case.option), case.tree)
    jax.jvp(moved, (leaves,), (leaves,))
    same(with_jax_arrays(seen), with_jax_arrays([((case.tree, case.still), case.option)]))


@law(
    "`None` in the tangent that a custom JVP rule returns means zero",
    source=f"{_CODE}#L809-L810",
    needs={"filter_custom_jvp"},
    case=cases(tree=_INEXACT, other=_INEXACT),
    level="should",
)
def custom_jvp_takes_none_for_zero(lib, case):
    function = lib.filter_custom_jvp(lambda trees: tuple(map(energy, trees)))
    function.def_jvp(lambda primals, tangents: (function(*primals), (None, jnp.float32(3))))
    leaves = inexact_leaves((case.tree, case.other))
    push = of_inexact(function, (case.tree, case.other))
    same(jax.jvp(push, (leaves,), (leaves,))[1], (jnp.float32(0), jnp.float32(3)))


@law(
    "a function from `filter_custom_vjp` returns the value of the original function, whatever"
    " leaves it gets",
    source=f"{_DOCS}filter_custom_vjp",
    needs={"filter_custom_vjp"},
    case=cases(tree=structures() | _NUMBERS, option=structures() | _NUMBERS),
)
def custom_vjp_keeps_the_value(lib, case):
    got = _doubled_by_rule(lib.filter_custom_vjp)(case.tree, case.option, option=case.option)
    same(got, (doubled(case.tree), doubled(case.option)))


@law(
    "JAX uses the custom backward pass: twice the derivative gives twice the gradient",
    source=f"{_DOCS}filter_custom_vjp",
    needs={"filter_custom_vjp"},
    case=cases(tree=_FINITE, option=structures()),
)
def custom_vjp_is_the_derivative(lib, case):
    function = _doubled_by_rule(lib.filter_custom_vjp)
    moved = lambda tree: energy(function(tree, case.option, option=case.option)[0])
    leaves = inexact_leaves(case.tree)
    got = jax.grad(of_inexact(moved, case.tree))(leaves)
    wanted = jax.grad(of_inexact(lambda tree: 2 * energy(doubled(tree)), case.tree))(leaves)
    same(got, wanted)


@law(
    "the custom forward pass is told for each leaf whether it is differentiated",
    source=f"{_DOCS}filter_custom_vjp",
    needs={"filter_custom_vjp"},
    case=cases(tree=_INEXACT, still=_FINITE),
)
def custom_vjp_is_told_what_is_differentiated(lib, case):
    seen = []
    tell = lambda perturbed, *inputs: seen.append(perturbed)
    function = _doubled_by_rule(lib.filter_custom_vjp, tell)
    moved = lambda tree: energy(function((tree, case.still), None)[0])
    jax.grad(of_inexact(moved, case.tree))(inexact_leaves(case.tree))
    nothing = jtu.tree_map(lambda leaf: False, case.still)
    same(seen, [(jtu.tree_map(is_inexact, case.tree), nothing)])


@law(
    "the custom backward pass gets the arrays that the forward pass saves for it",
    source=f"{_DOCS}filter_custom_vjp",
    needs={"filter_custom_vjp"},
    case=cases(tree=_INEXACT),
)
def custom_vjp_backward_gets_the_residuals(lib, case):
    seen = []
    hear = lambda residuals, *inputs: seen.append(residuals)
    function = _doubled_by_rule(lib.filter_custom_vjp, hear=hear)
    moved = of_inexact(lambda tree: energy(function(tree, None)[0]), case.tree)
    jax.grad(moved)(inexact_leaves(case.tree))
    same(seen, [_tripled(case.tree)])


@law(
    "the custom forward pass gets all inputs of the function",
    source=f"{_DOCS}filter_custom_vjp",
    needs={"filter_custom_vjp"},
    case=cases(tree=_INEXACT, other=_FINITE, option=_FINITE),
)
def custom_vjp_forward_gets_the_inputs(lib, case):
    seen, inputs = [], (case.other, case.option)
    tell = lambda perturbed, *inputs: seen.append(inputs)
    function = _doubled_by_rule(lib.filter_custom_vjp, tell)
    moved = lambda tree: energy(function(tree, case.other, option=case.option)[0])
    jax.grad(of_inexact(moved, case.tree))(inexact_leaves(case.tree))
    same(with_jax_arrays(seen), with_jax_arrays([(case.tree, *inputs)]))


@law(
    "the custom backward pass gets all inputs of the forward pass",
    source=f"{_DOCS}filter_custom_vjp",
    needs={"filter_custom_vjp"},
    case=cases(tree=_INEXACT, other=_FINITE, option=_FINITE),
)
def custom_vjp_backward_gets_the_inputs(lib, case):
    seen, inputs = [], (case.other, case.option)
    hear = lambda residuals, *inputs: seen.append(inputs)
    function = _doubled_by_rule(lib.filter_custom_vjp, hear=hear)
    moved = lambda tree: energy(function(tree, case.other, option=case.option)[0])
    jax.grad(of_inexact(moved, case.tree))(inexact_leaves(case.tree))
    same(with_jax_arrays(seen), with_jax_arrays([(case.tree, *inputs)]))


@law(
    "`None` in the gradient of a custom backward pass means zero",
    source=f"{_DOCS}filter_custom_vjp",
    needs={"filter_custom_vjp"},
    case=cases(tree=_INEXACT, other=_INEXACT),
)
def custom_vjp_takes_none_for_zero(lib, case):
    def halved(gradient):
        return gradient[0], jtu.tree_map(lambda leaf: None, gradient[1])

    function = _doubled_by_rule(lib.filter_custom_vjp, gradient=halved)
    moved = lambda tree: energy(function(tree, None)[0])
    both = (case.tree, case.other)
    got = jax.grad(of_inexact(moved, both))(inexact_leaves(both))
    kept = [8 * leaf for leaf in inexact_leaves(doubled(case.tree))]
    zeros = [jnp.zeros_like(leaf) for leaf in inexact_leaves(case.other)]
    same(got, [*kept, *zeros])


@law(
    "a custom backward pass whose gradient has another structure than the first argument raises"
    " RuntimeError",
    source=f"{_CODE}#L1078-L1085",
    needs={"filter_custom_vjp"},
    case=cases(tree=_INEXACT),
    level="should",
)
def custom_vjp_of_another_structure_is_refused(lib, case):
    function = _doubled_by_rule(lib.filter_custom_vjp, gradient=lambda gradient: (gradient,))
    moved = of_inexact(lambda tree: energy(function(tree, None)[0]), case.tree)
    refuses(RuntimeError, lambda: jax.grad(moved)(inexact_leaves(case.tree)))


@law(
    "a function from `filter_custom_vjp` raises RuntimeError until both its passes are defined",
    source=f"{_CODE}#L1094-L1098",
    needs={"filter_custom_vjp"},
    case=cases(tree=_FINITE),
    level="should",
)
def custom_vjp_needs_both_passes(lib, case):
    function = lib.filter_custom_vjp(doubled)
    refuses(RuntimeError, lambda: function(case.tree))
    function.def_fwd(lambda perturbed, tree: (doubled(tree), None))
    refuses(RuntimeError, lambda: function(case.tree))


def _energy_by_rule(filter_custom_jvp, tell=lambda tangent, *inputs: None):
    """Return `energy` with a rule for twice its derivative; `tell` gets tangent and inputs."""
    function = filter_custom_jvp(lambda tree, *rest, option=None: energy(tree))

    @function.def_jvp
    def rule(primals, tangents, *, option=None):
        (tree, *_), (tangent, *_) = primals, tangents
        tell(tangent, tree, option)
        pairs = zip(*map(_leaves_and_nones, (tree, tangent)), strict=True)
        steps = [4 * jnp.sum(leaf * step) for leaf, step in pairs if step is not None]
        return function(tree, option=option), sum(steps, start=jnp.float32(0))

    return function


def _doubled_by_rule(
    filter_custom_vjp,
    tell=lambda perturbed, *inputs: None,
    gradient=lambda gradient: gradient,
    hear=lambda residuals, *inputs: None,
):
    """Return `doubled` with a rule for twice its derivative.

    `tell` gets the argument `perturbed` and the inputs of the forward pass, `hear` the inputs of
    the backward pass. The forward pass saves three times each floating-point array, as a JAX array.
    """

    @filter_custom_vjp
    def function(tree, *args, option=None):
        return doubled(tree), doubled(option)

    @function.def_fwd
    def forward(perturbed, tree, *args, option=None):
        tell(perturbed, tree, *args, option)
        residuals = _tripled(tree)
        return function(tree, *args, option=option), residuals

    @function.def_bwd
    def backward(residuals, cotangent, perturbed, tree, *args, option=None):
        hear(residuals, tree, *args, option)
        steps = jtu.tree_map(lambda leaf: 4 * leaf, cotangent[0])
        return gradient(steps)

    return function


def _tripled(tree):
    return [jnp.multiply(3, leaf) for leaf in inexact_leaves(tree)]


def _leaves_and_nones(tree):
    return jtu.tree_leaves(tree, is_leaf=lambda node: node is None)
