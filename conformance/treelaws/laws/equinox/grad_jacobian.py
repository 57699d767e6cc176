"""Equinox: Jacobians, Hessians, `filter_jvp` and `filter_vjp`."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.trees.structures import structures
from treelaws.equality import refuses, same

from ._functions import doubled, energy, inexact_leaves, of_inexact, only_inexact, with_inexact
from .grad import law

_DOCS = "https://docs.kidger.site/equinox/api/transformations/#equinox."
_TREE = structures(finite=True)
_AUX = structures()
# With at least one inexact array: `jax.jacfwd` and `jax.jacrev` reject an input without arrays.
_INEXACT = structures(finite=True, inexact=True)
_NUMBERS = st.sampled_from([Recipe(expression=text) for text in ("2.0", "-0.5", "1j", "1 + 2j")])


@law(
    "`filter_jacfwd` agrees with `jax.jacfwd` over the floating-point arrays alone",
    source=f"{_DOCS}filter_jacfwd",
    needs={"filter_jacfwd"},
    case=cases(tree=_INEXACT),
)
def forward_jacobian_agrees_with_jax(lib, case):
    wanted = jax.jacfwd(of_inexact(_products, case.tree))(inexact_leaves(case.tree))
    got = lib.filter_jacfwd(_products)(case.tree)
    same(got, [only_inexact(case.tree, row) for row in wanted])


@law(
    "`filter_jacrev` agrees with `jax.jacrev` over the floating-point arrays alone",
    source=f"{_DOCS}filter_jacrev",
    needs={"filter_jacrev"},
    case=cases(tree=_INEXACT),
)
def reverse_jacobian_agrees_with_jax(lib, case):
    wanted = jax.jacrev(of_inexact(_products, case.tree))(inexact_leaves(case.tree))
    got = lib.filter_jacrev(_products)(case.tree)
    same(got, [only_inexact(case.tree, row) for row in wanted])


@law(
    "with `has_aux=True`, `filter_jacfwd` and `filter_jacrev` return `(jacobian, aux)`",
    source=f"{_DOCS}filter_jacfwd",
    needs={"filter_jacfwd", "filter_jacrev"},
    case=cases(tree=_INEXACT, aux=structures(statics=False)),
)
def jacobian_comes_with_aux(lib, case):
    for jacobian in (lib.filter_jacfwd, lib.filter_jacrev):
        got = jacobian(_with_aux(_products, case.aux), has_aux=True)(case.tree)
        same(got, (jacobian(_products)(case.tree), _through_jax(case.aux)))


@law(
    "`filter_hessian` agrees with `jax.hessian` over the floating-point arrays alone",
    source=f"{_DOCS}filter_hessian",
    needs={"filter_hessian"},
    case=cases(tree=_INEXACT),
)
def hessian_agrees_with_jax(lib, case):
    wanted = jax.hessian(of_inexact(energy, case.tree))(inexact_leaves(case.tree))
    rows = [only_inexact(case.tree, row) for row in wanted]
    same(lib.filter_hessian(energy)(case.tree), only_inexact(case.tree, rows))


@law(
    "with `has_aux=True`, `filter_hessian` returns `(hessian, aux)`",
    source=f"{_DOCS}filter_hessian",
    needs={"filter_hessian"},
    case=cases(tree=_INEXACT, aux=structures(statics=False)),
)
def hessian_comes_with_aux(lib, case):
    got = lib.filter_hessian(_with_aux(energy, case.aux), has_aux=True)(case.tree)
    same(got, (lib.filter_hessian(energy)(case.tree), _through_jax(case.aux)))


@law(
    "`filter_jvp` agrees with `jax.jvp` over the floating-point arrays",
    source=f"{_DOCS}filter_jvp",
    needs={"filter_jvp"},
    case=cases(tree=_TREE),
)
def jvp_agrees_with_jax(lib, case):
    leaves = inexact_leaves(case.tree)
    tangent = only_inexact(case.tree, leaves)
    wanted, tangent_out = jax.jvp(of_inexact(_doubled_inexact, case.tree), (leaves,), (leaves,))
    got = lib.filter_jvp(doubled, (case.tree,), (tangent,))
    same(got, (doubled(case.tree), only_inexact(case.tree, tangent_out)))
    same(inexact_leaves(got[0]), wanted)


@law(
    "`filter_jvp` accepts `None` as the tangent of any leaf, and returns `None` for an output that"
    " does not depend on a leaf with a tangent",
    source=f"{_DOCS}filter_jvp",
    needs={"filter_jvp"},
    case=cases(tree=_TREE, still=_TREE),
)
def jvp_of_nothing_is_none(lib, case):
    tangents = (only_inexact(case.tree, inexact_leaves(case.tree)), _nones(case.still))
    moved, still = lib.filter_jvp(_both_doubled, (case.tree, case.still), tangents)[1]
    same(moved, doubled(tangents[0]))
    same(still, _nones(case.still))


@law(
    "`filter_jvp` also differentiates Python floats and complex numbers",
    source=f"{_DOCS}filter_jvp",
    needs={"filter_jvp"},
    case=cases(primal=_NUMBERS, tangent=_NUMBERS),
)
def jvp_differentiates_python_numbers(lib, case):
    tangent = type(case.primal)(abs(case.tangent))
    got = lib.filter_jvp(_squared, (case.primal, "text"), (tangent, None))
    value, change = jax.jvp(lambda x: x * x, (case.primal,), (tangent,))
    same(got, ((value, "text"), (change, None)))


@law(
    "`filter_jvp` passes keyword arguments to the function and does not differentiate them",
    source=f"{_DOCS}filter_jvp",
    needs={"filter_jvp"},
    case=cases(tree=_TREE, option=_TREE),
)
def jvp_does_not_differentiate_keywords(lib, case):
    tangent = only_inexact(case.tree, inexact_leaves(case.tree))
    got = lib.filter_jvp(_both_doubled, (case.tree,), (tangent,), second=case.option)
    still = (doubled(case.option), _nones(case.option))
    same(got, ((doubled(case.tree), still[0]), (doubled(tangent), still[1])))


@law(
    "`filter_jvp` raises ValueError if the primals and the tangents have different structures",
    source="https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/_ad.py#L325-L328",
    needs={"filter_jvp"},
    case=cases(tree=_TREE),
    level="should",
)
def jvp_refuses_other_structures(lib, case):
    tangent = only_inexact(case.tree, inexact_leaves(case.tree))
    refuses(ValueError, lambda: lib.filter_jvp(doubled, (case.tree,), ((tangent, None),)))
    refuses(ValueError, lambda: lib.filter_jvp(doubled, (case.tree,), (tangent, tangent)))


@law(
    "`filter_vjp` agrees with `jax.vjp` over the floating-point arrays of inputs and outputs",
    source=f"{_DOCS}filter_vjp",
    needs={"filter_vjp"},
    case=cases(tree=_TREE),
)
def vjp_agrees_with_jax(lib, case):
    leaves = inexact_leaves(case.tree)
    cotangent = jax.vjp(of_inexact(_doubled_inexact, case.tree), leaves)[1]
    out, pull_back = lib.filter_vjp(doubled, case.tree)
    same(out, doubled(case.tree))
    wanted = only_inexact(case.tree, cotangent(inexact_leaves(out))[0])
    same(pull_back(only_inexact(out, inexact_leaves(out))), (wanted,))


@law(
    "with `has_aux=True`, `filter_vjp` returns `aux` as a third value",
    source=f"{_DOCS}filter_vjp",
    needs={"filter_vjp"},
    case=cases(tree=_TREE, aux=_AUX),
)
def vjp_comes_with_aux(lib, case):
    out, pull_back, aux = lib.filter_vjp(_with_aux(doubled, case.aux), case.tree, has_aux=True)
    same((out, aux), (doubled(case.tree), _through_jax(case.aux)))
    cotangent = only_inexact(out, inexact_leaves(out))
    same(pull_back(cotangent), lib.filter_vjp(doubled, case.tree)[1](cotangent))


def _with_aux(function, aux):
    return lambda tree: (function(tree), _through_jax(aux))


def _through_jax(tree):
    return with_inexact(tree, [jnp.asarray(leaf) for leaf in inexact_leaves(tree)])


def _products(tree):
    return [jnp.outer(leaf, leaf) for leaf in inexact_leaves(tree)]


def _doubled_inexact(tree):
    return inexact_leaves(doubled(tree))


def _both_doubled(first, second):
    return doubled(first), doubled(second)


def _squared(number, text):
    return number * number, text


def _nones(tree):
    return jtu.tree_map(lambda leaf: None, tree)
