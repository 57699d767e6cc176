"""Mutants of Jacobians and vector products."""

from __future__ import annotations

import jax.numpy as jnp
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
        "equinox.grad.forward_jacobian_agrees_with_jax",
        "equinox.grad.reverse_jacobian_agrees_with_jax",
        "equinox.grad.hessian_agrees_with_jax",
    ],
)
def jacobian_is_transposed(eqx):
    """The axes of the input come before those of the output; the Hessian is half as deep."""

    def turned(transform):
        turn = lambda leaf: jnp.moveaxis(leaf, -1, 0) if leaf.ndim > 1 else leaf
        return lambda fun: lambda *args: jtu.tree_map(turn, transform(fun)(*args))

    return {
        "filter_jacfwd": turned(eqx.filter_jacfwd),
        "filter_jacrev": turned(eqx.filter_jacrev),
        "filter_hessian": eqx.filter_jacfwd,
    }


@mutant(
    "equinox",
    kills=["equinox.grad.jacobian_comes_with_aux", "equinox.grad.hessian_comes_with_aux"],
)
def jacobian_keeps_aux_for_itself(eqx):
    """With `has_aux` the Jacobian comes alone."""

    def alone(transform):
        def transformed(fun, has_aux=False):
            jacobian = transform(fun, has_aux=has_aux)
            return (lambda *args: jacobian(*args)[0]) if has_aux else jacobian

        return transformed

    names = ("filter_jacfwd", "filter_jacrev", "filter_hessian")
    return {name: alone(getattr(eqx, name)) for name in names}


@mutant("equinox", kills=["equinox.grad.jvp_differentiates_python_numbers"])
def jvp_differentiates_arrays_alone(eqx):
    """Python numbers are held still, whatever their tangents."""

    def filter_jvp(fun, primals, tangents, **kwargs):
        given = jtu.tree_map(lambda leaf: leaf if eqx.is_array(leaf) else None, tangents)
        return eqx.filter_jvp(fun, primals, given, **kwargs)

    return {"filter_jvp": filter_jvp}


@mutant("equinox", kills=["equinox.grad.jvp_does_not_differentiate_keywords"])
def jvp_differentiates_keywords(eqx):
    """Keyword arguments are taken for more primals, whose tangents are zero."""

    def filter_jvp(fun, primals, tangents, **kwargs):
        still = (*kwargs.values(),)
        zeros = eqx.filter(still, eqx.is_inexact_array)
        zeros = jtu.tree_map(jnp.zeros_like, zeros)
        return eqx.filter_jvp(fun, (*primals, *still), (*tangents, *zeros))

    return {"filter_jvp": filter_jvp}


@mutant(
    "equinox",
    kills=["equinox.grad.jvp_agrees_with_jax", "equinox.grad.jvp_of_nothing_is_none"],
)
def jvp_gives_zero_for_nothing(eqx):
    """A tangent that is `None` comes out as 0.0."""

    def filter_jvp(fun, primals, tangents):
        out, tangent_out = eqx.filter_jvp(fun, primals, tangents)
        return out, _filled(tangent_out)

    return {"filter_jvp": filter_jvp}


@mutant("equinox", kills=["equinox.grad.jvp_refuses_other_structures"])
def jvp_takes_tangents_by_position(eqx):
    """Tangents are matched with primals leaf by leaf, whatever their structures."""

    def filter_jvp(fun, primals, tangents):
        places, treedef = jtu.tree_flatten(primals, is_leaf=_is_none)
        given = jtu.tree_leaves(tangents, is_leaf=_is_none)
        given = (given + [None] * len(places))[: len(places)]
        return eqx.filter_jvp(fun, primals, treedef.unflatten(given))

    return {"filter_jvp": filter_jvp}


@mutant(
    "equinox",
    kills=["equinox.grad.vjp_agrees_with_jax"],
)
def vjp_gives_zero_for_nothing(eqx):
    """A cotangent that is `None` comes back as 0.0."""

    def filter_vjp(fun, *primals, has_aux=False):
        out, pull_back, *aux = eqx.filter_vjp(fun, *primals, has_aux=has_aux)
        return (out, lambda cotangent: _filled(pull_back(cotangent)), *aux)

    return {"filter_vjp": filter_vjp}


@mutant("equinox", kills=["equinox.grad.a_jacobian_takes_the_arguments_of_its_function"])
def jacobians_drop_keywords(eqx):
    """The function of a Jacobian gets the positional arguments alone."""
    names = ("filter_jacfwd", "filter_jacrev", "filter_hessian")

    def changed(transform):
        return lambda fun, **options: lambda *args, **named: transform(fun, **options)(*args)

    return {name: changed(getattr(eqx, name)) for name in names}
