"""Equinox: `filter_grad` and `filter_value_and_grad`."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.trees.structures import structures
from treelaws.core.law import Topic
from treelaws.equality import refuses, same

from ._functions import (
    arrays_of,
    energy,
    inexact_leaves,
    of_inexact,
    only_inexact,
    with_inexact,
)

law = Topic("equinox.grad", "Equinox: gradients and Jacobians", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/transformations/#equinox."
_TREE = structures(finite=True)
_AUX = structures()


@law(
    "`filter_grad(f)(x)` has the structure of `x`, with `None` in place of each leaf that is not a"
    " floating-point array",
    source=f"{_DOCS}filter_grad",
    needs={"filter_grad"},
    case=cases(tree=_TREE),
)
def gradient_is_none_where_nothing_is_inexact(lib, case):
    places = only_inexact(case.tree, [0] * len(inexact_leaves(case.tree)))
    gradient = lib.filter_grad(energy)(case.tree)
    same(jtu.tree_map(lambda leaf: 0, gradient), places)


@law(
    "`filter_grad` agrees with `jax.grad` over the floating-point arrays alone",
    source=f"{_DOCS}filter_grad",
    needs={"filter_grad"},
    case=cases(tree=_TREE),
    parents=(gradient_is_none_where_nothing_is_inexact,),
)
def gradient_agrees_with_jax(lib, case):
    wanted = jax.grad(of_inexact(energy, case.tree))(inexact_leaves(case.tree))
    same(lib.filter_grad(energy)(case.tree), only_inexact(case.tree, wanted))
    found = lib.filter_grad(jax.jit(energy))(arrays_of(case.tree))
    same(found, only_inexact(arrays_of(case.tree), wanted))


@law(
    "`filter_value_and_grad(f)(x)` returns the pair `(f(x), filter_grad(f)(x))`",
    source=f"{_DOCS}filter_value_and_grad",
    needs={"filter_grad", "filter_value_and_grad"},
    case=cases(tree=_TREE),
)
def value_and_gradient_are_the_value_and_the_gradient(lib, case):
    pair = lib.filter_value_and_grad(energy)(case.tree)
    same(pair, (energy(case.tree), lib.filter_grad(energy)(case.tree)))


@law(
    "with `has_aux=True`, `filter_grad` returns `(gradient, aux)` for any `aux`",
    source=f"{_DOCS}filter_grad",
    needs={"filter_grad"},
    case=cases(tree=_TREE, aux=_AUX),
)
def gradient_comes_with_aux(lib, case):
    gradient, aux = lib.filter_grad(_with_aux(energy, case.aux), has_aux=True)(case.tree)
    same(aux, _through_jax(case.aux))
    same(gradient, lib.filter_grad(energy)(case.tree))


@law(
    "with `has_aux=True`, `filter_value_and_grad` returns `((value, aux), gradient)`",
    source=f"{_DOCS}filter_value_and_grad",
    needs={"filter_grad", "filter_value_and_grad"},
    case=cases(tree=_TREE, aux=_AUX),
)
def value_and_gradient_come_with_aux(lib, case):
    got = lib.filter_value_and_grad(_with_aux(energy, case.aux), has_aux=True)(case.tree)
    gradient = lib.filter_grad(energy)(case.tree)
    same(got, ((energy(case.tree), _through_jax(case.aux)), gradient))


@law(
    "a function from `filter_grad` or `filter_value_and_grad` raises TypeError without a"
    " positional argument",
    source="https://github.com/patrick-kidger/equinox/pull/503",
    needs={"filter_grad", "filter_value_and_grad"},
    level="should",
    case=cases(tree=_TREE),
)
def differentiated_argument_has_to_be_positional(lib, case):
    refuses(TypeError, lambda: lib.filter_grad(energy)())
    refuses(TypeError, lambda: lib.filter_grad(energy)(tree=case.tree))
    refuses(TypeError, lambda: lib.filter_value_and_grad(energy)(tree=case.tree))


@law(
    "`filter_grad` and `filter_value_and_grad` raise ValueError for `argnums`: they differentiate"
    " the first argument",
    source="https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/_ad.py#L173-L179",
    needs={"filter_grad", "filter_value_and_grad"},
    case=cases(tree=_TREE),
    level="should",
)
def argnums_are_refused(lib, case):
    for argnums in (0, 1, (0, 1)):
        refuses(ValueError, lambda n=argnums: lib.filter_grad(energy, argnums=n)(case.tree))
        refuses(ValueError, lambda n=argnums: lib.filter_value_and_grad(energy, argnums=n))


def _with_aux(function, aux):
    return lambda tree: (function(tree), _through_jax(aux))


def _through_jax(tree):
    return with_inexact(tree, [jnp.asarray(leaf) for leaf in inexact_leaves(tree)])
