"""Equinox: custom derivatives mean what those of JAX mean, for every kind of number."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from treelaws.equality import same

from ._custom_rules import (
    FORWARD,
    REVERSE,
    derivations,
    tenfold,
    tenfold_of_jax,
    two_arguments,
)
from .trace import law
from .trace_custom import custom_jvp_is_the_derivative, custom_vjp_is_the_derivative

_DOCS = "https://docs.kidger.site/equinox/api/transformations/#equinox."
# Quote of a test: `with pytest.raises(RuntimeError): jax.grad(lambda x: f(x, x))(1.0)`.
_TESTS = "https://github.com/patrick-kidger/equinox/blob/v0.13.8/tests/test_ad.py#L536-L550"


@law(
    "a function from `filter_custom_vjp` has, at any tree of numbers and in each transformation, "
    "the derivative that one from `jax.custom_vjp` has",
    source=f"{_DOCS}filter_custom_vjp",
    needs={"filter_custom_vjp", "filter_grad", "filter_vjp"},
    level="should",
    case=derivations(REVERSE),
    parents=[custom_vjp_is_the_derivative],
)
def custom_vjp_is_that_of_jax(lib, case):
    wanted = case.derive(tenfold_of_jax(jax.custom_vjp), case.x)
    same(case.derive(tenfold(lib.filter_custom_vjp), case.x), wanted)


@law(
    "a function from `filter_custom_jvp` has, at any tree of numbers and in each transformation, "
    "the derivative that one from `jax.custom_jvp` has",
    source=f"{_DOCS}filter_custom_jvp",
    needs={"filter_custom_jvp", "filter_grad", "filter_vjp", "filter_jacfwd"},
    level="should",
    case=derivations({**FORWARD, **REVERSE}),
    parents=[custom_jvp_is_the_derivative],
)
def custom_jvp_is_that_of_jax(lib, case):
    wanted = case.derive(tenfold_of_jax(jax.custom_jvp), case.x)
    same(case.derive(tenfold(lib.filter_custom_jvp), case.x), wanted)


@law(
    "arguments of a function from `filter_custom_vjp` after the first have no gradient: "
    "differentiating them gives zero or raises RuntimeError",
    # The documentation says that they have zero gradient, and a test that they raise.
    source=_TESTS,
    needs={"filter_custom_vjp"},
    level="should",
    case=two_arguments(),
)
def other_arguments_have_no_gradient(lib, case):
    function, total = tenfold(lib.filter_custom_vjp), lambda tree: sum(map(jnp.sum, tree))
    loss = lambda pair: total(jtu.tree_leaves(case.call(function, *pair)))
    try:
        got = jax.grad(loss, allow_int=True)((case.x, case.y))
    except RuntimeError:
        return
    same(got[1], jtu.tree_map(jnp.zeros_like, got[1]))
