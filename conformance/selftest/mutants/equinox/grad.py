"""Mutants of gradients."""

from __future__ import annotations

import jax.tree_util as jtu

from selftest.mutant import mutant


def _filled(tree):
    """Return the tree with 0.0 in place of each `None`."""
    return jtu.tree_map(lambda leaf: 0.0 if leaf is None else leaf, tree, is_leaf=_is_none)


def _is_none(node):
    return node is None


@mutant(
    "equinox",
    kills=[
        "equinox.grad.gradient_is_none_where_nothing_is_inexact",
        "equinox.grad.gradient_agrees_with_jax",
        "equinox.grad.value_and_gradient_are_the_value_and_the_gradient",
    ],
)
def gradient_is_zero_for_static_leaves(eqx):
    """The gradient has 0.0 where the argument has no floating-point array."""

    def filter_grad(fun, **options):
        return lambda *args: _filled(eqx.filter_grad(fun, **options)(*args))

    return {"filter_grad": filter_grad}


@mutant(
    "equinox",
    kills=[
        "equinox.grad.value_and_gradient_are_the_value_and_the_gradient",
        "equinox.grad.value_and_gradient_come_with_aux",
    ],
)
def gradient_comes_before_the_value(eqx):
    """`filter_value_and_grad` gives (gradient, value)."""

    def filter_value_and_grad(fun, **options):
        return lambda *args: eqx.filter_value_and_grad(fun, **options)(*args)[::-1]

    return {"filter_value_and_grad": filter_value_and_grad}


@mutant(
    "equinox",
    kills=[
        "equinox.grad.gradient_comes_with_aux",
        "equinox.grad.value_and_gradient_come_with_aux",
        "equinox.grad.vjp_comes_with_aux",
    ],
)
def aux_is_filtered(eqx):
    """Only the arrays of `aux` come back."""
    arrays = lambda tree: eqx.filter(tree, eqx.is_array)

    def filter_grad(fun, *, has_aux=False):
        if not has_aux:
            return eqx.filter_grad(fun)
        gradient = eqx.filter_grad(fun, has_aux=True)
        return lambda *args: (lambda out: (out[0], arrays(out[1])))(gradient(*args))

    def filter_value_and_grad(fun, *, has_aux=False):
        both = eqx.filter_value_and_grad(fun, has_aux=has_aux)
        return lambda *args: (lambda out: (arrays(out[0]), out[1]))(both(*args))

    def filter_vjp(fun, *primals, has_aux=False):
        out = eqx.filter_vjp(fun, *primals, has_aux=has_aux)
        return (*out[:2], arrays(out[2])) if has_aux else out

    return {
        "filter_grad": filter_grad,
        "filter_value_and_grad": filter_value_and_grad,
        "filter_vjp": filter_vjp,
    }


@mutant(
    "equinox",
    kills=["equinox.grad.differentiated_argument_has_to_be_positional"],
)
def any_argument_is_differentiated(eqx):
    """Without a positional argument the first keyword argument is differentiated, or nothing."""

    def over_first(transform):
        def transformed(fun, **options):
            def call(*args, **kwargs):
                given = (*args, *kwargs.values())
                return transform(fun, **options)(*given) if given else None

            return call

        return transformed

    return {
        "filter_grad": over_first(eqx.filter_grad),
        "filter_value_and_grad": over_first(eqx.filter_value_and_grad),
    }


@mutant("equinox", kills=["equinox.grad.argnums_are_refused"])
def argnums_are_ignored(eqx):
    """`argnums` is dropped without a word."""
    return {
        "filter_grad": lambda fun, argnums=0, **options: eqx.filter_grad(fun, **options),
        "filter_value_and_grad": lambda fun, argnums=0: eqx.filter_value_and_grad(fun),
    }
