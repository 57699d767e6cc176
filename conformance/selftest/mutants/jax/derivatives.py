"""Mutants of JAX whose derivatives mistake an option."""

from __future__ import annotations

import importlib
from typing import Any

from selftest.mutant import mutant

_ID = "jax.derivatives."


@mutant("jax", kills=[_ID + "argnums_name_the_arguments"])
def jacfwd_sorts_its_argnums(jax):
    """`jacfwd` takes the arguments of a sequence in ascending order."""

    def jacfwd(function, argnums: Any = 0, **options):
        if not hasattr(argnums, "__index__"):
            argnums = sorted(argnums)
        return jax.jacfwd(function, argnums=argnums, **options)

    return {"jacfwd": jacfwd}


@mutant("jax", kills=[_ID + "argnums_name_the_arguments"])
def grad_unpacks_a_sequence_of_one(jax):
    """`grad` gives the bare derivative for a sequence of one number."""

    def grad(function, argnums: Any = 0, **options):
        if not hasattr(argnums, "__index__") and len(argnums) == 1:
            (argnums,) = argnums
        return jax.grad(function, argnums=argnums, **options)

    return {"grad": grad}


@mutant("jax", kills=[_ID + "aux_data_come_out"])
def linearize_keeps_arrays_of_aux_data(jax):
    """`linearize` puts None in the place of aux data that are not arrays."""

    def linearize(function, *primals, has_aux=False):
        if not has_aux:
            return jax.linearize(function, *primals)
        value, push, aux = jax.linearize(function, *primals, has_aux=True)
        keep = lambda leaf: leaf if hasattr(leaf, "shape") else None
        return value, push, jax.tree_util.tree_map(keep, aux)

    return {"linearize": linearize}


@mutant("jax", kills=[_ID + "aux_data_come_out"])
def jacfwd_returns_aux_data_of_each_direction(jax):
    """`jacfwd` gives aux data with an axis for the directions."""

    def jacfwd(function, has_aux=False, **options):
        derive = jax.jacfwd(function, has_aux=has_aux, **options)
        stacked = lambda leaf: jax.numpy.stack([leaf, leaf])
        stack = lambda pair: (pair[0], jax.tree_util.tree_map(stacked, pair[1]))
        return (lambda *args: stack(derive(*args))) if has_aux else derive

    return {"jacfwd": jacfwd}


@mutant("jax", kills=[_ID + "derivatives_by_integers_are_float0"])
def grad_gives_zeros_for_integers(jax):
    """`grad` gives zeros of float32 for integers."""
    zeros = lambda leaf: jax.numpy.zeros(leaf.shape) if leaf.dtype == jax.dtypes.float0 else leaf

    def grad(function, **options):
        derive = jax.grad(function, **options)
        return lambda *args: jax.tree_util.tree_map(zeros, derive(*args))

    return {"grad": grad}


@mutant("jax", kills=[_ID + "derivatives_are_tree_products"])
def holomorphic_jacobians_are_conjugated(jax):
    """`jacrev` gives the conjugate of a complex derivative."""

    def jacrev(function, **options):
        derive = jax.jacrev(function, **options)
        return lambda *args: jax.tree_util.tree_map(jax.numpy.conj, derive(*args))

    return {"jacrev": jacrev}


@mutant("jax", kills=[_ID + "derivatives_are_tree_products"])
def hessian_is_a_product_of_other_order(jax):
    """`hessian` gives the structure of the result inside of that of the argument."""

    def hessian(function, **options):
        derive = jax.hessian(function, **options)

        def turned(tree):
            outer = jax.tree_util.tree_structure(function(tree))
            inner = jax.tree_util.tree_structure(tree)
            return jax.tree_util.tree_transpose(outer, inner.compose(inner), derive(tree))

        return turned

    return {"hessian": hessian}


@mutant("jax", kills=[_ID + "sparse_derivatives_are_those_of_jax"])
def sparse_gradients_are_by_the_first_argument(jax):
    """`sparse.grad` differentiates by the first argument, whatever its number says."""
    import jax.experimental.sparse as sparse

    def grad(function, argnums=0, **options):
        return sparse.grad(function, **options)

    return {"experimental.sparse.grad": grad}


@mutant("jax", kills=[_ID + "rules_of_arguments_are_added_up"])
def the_last_rule_counts(jax):
    """`defjvps` keeps the last rule alone."""

    class custom_jvp(jax.custom_jvp):
        def defjvps(self, *rules):
            super().defjvps(*[None] * (len(rules) - 1), rules[-1])

    return {"custom_jvp": custom_jvp}


@mutant("jax", kills=["jax.derivatives.the_last_rule_is_used"])
def custom_vjp_keeps_its_first_rule(jax):
    """`defvjp` does nothing if there is a rule, and neither does `defjvp`."""

    class KeepsFirst(jax.custom_vjp):
        def defvjp(self, *rules, **options):
            if self.fwd is None:
                super().defvjp(*rules, **options)

    class KeepsFirstForward(jax.custom_jvp):
        def defjvp(self, *rules, **options):
            if self.jvp is None:
                super().defjvp(*rules, **options)

    return {"custom_vjp": KeepsFirst, "custom_jvp": KeepsFirstForward}


@mutant("jax", kills=["jax.derivatives.a_ruled_function_is_the_function_when_composed"])
def sequential_vmap_has_no_derivative(jax):
    """A function of `sequential_vmap` or `custom_vmap` has a derivative of zero."""

    def fault(make):
        def decorate(function):
            stopped = lambda tree: function(jax.lax.stop_gradient(tree))
            return make(stopped)

        return decorate

    return {
        f"custom_batching.{name}": fault(getattr(jax.custom_batching, name))
        for name in ("sequential_vmap", "custom_vmap")
    }


@mutant("jax", kills=["jax.derivatives.jet_takes_and_gives_containers"])
def jet_doubles_its_terms(jax):
    """`jet` gives twice each term."""
    real = importlib.import_module("jax.experimental.jet").jet

    def jet(*args, **options):
        found, terms = real(*args, **options)
        return found, jax.tree_util.tree_map(lambda term: term * 2, terms)

    return {"experimental.jet.jet": jet}


@mutant("jax", kills=["jax.derivatives.a_loop_is_its_steps_when_composed"])
def loops_begin_a_step_later(jax):
    """`while_loop`, `fori_loop` and `scan` give back what they start with."""
    return {
        "lax.while_loop": lambda cond, body, start: start,
        "lax.fori_loop": lambda first, end, body, start, **options: start,
        "lax.scan": lambda body, start, xs, **options: (start, xs),
    }


@mutant("jax", kills=[_ID + "a_ruled_function_of_trees_is_the_function"])
def arguments_by_name_have_no_slope(jax):
    """A function with `custom_jvp` has no derivative if an argument is given by name."""

    class custom_jvp(jax.custom_jvp):
        def __call__(self, *args, **named):
            return super().__call__(*(jax.lax.stop_gradient(args) if named else args), **named)

    return {"custom_jvp": custom_jvp}
