"""Mutants of Flax NNX' transforms: what they call, bind and hand out."""

from __future__ import annotations

import jax
import jax.tree_util as jtu

from selftest.mutant import mutant
from treelaws.compat import nnx as nnx_api

from ._copies import copied

_ID = "nnx.transforms."


@mutant("nnx", kills=[_ID + "cached_arguments_are_the_arguments"])
def cached_partial_caches_a_copy(nnx):
    """What a function with cached arguments changes does not come out."""
    copy = copied(nnx)
    partial = lambda function, *args: nnx.cached_partial(function, *map(copy, args))
    return {"cached_partial": partial} if hasattr(nnx, "cached_partial") else {}


@mutant("nnx", kills=[_ID + "arrays_stand_beside_variables"])
def jit_doubles_arrays(nnx):
    """`jit` and `remat` double the arrays that a module holds beside Variables."""

    def doubling(transform):
        def transformed(function, *args, **options):
            def double(module, *rest, **named):
                for name, value in list(vars(module).items()):
                    if isinstance(value, jax.Array):
                        setattr(module, name, value * 2)
                return function(module, *rest, **named)

            return transform(double, *args, **options)

        return transformed

    return {name: doubling(getattr(nnx, name)) for name in ("jit", "remat")}


@mutant("nnx", kills=[_ID + "attributes_of_a_function_change_no_call"])
def transforms_call_the_rate(nnx):
    """Transforms call an attribute `rate` of what they are given, where it has one."""

    def calling(transform):
        def transformed(function, *args, **options):
            return transform(getattr(function, "rate", function), *args, **options)

        return transformed

    names = ("jit", "vmap", "grad", "value_and_grad", "remat", "eval_shape", "checkify")
    return {name: calling(getattr(nnx, name)) for name in names}


@mutant("nnx", kills=[_ID + "what_a_function_makes_comes_out"])
def results_of_jit_are_their_state(nnx):
    """A Variable that a compiled function returns comes out as its value."""

    def jit(function, *args, **options):
        inner = nnx.jit(function, *args, **options)
        return lambda *operands, **named: _values_of(nnx, inner(*operands, **named))

    return {"jit": jit}


@mutant("nnx", kills=[_ID + "auxiliary_data_come_out"])
def auxiliary_data_lose_their_variables(nnx):
    """A Variable in the auxiliary data of `grad` comes out as its value."""

    def grad(function, **options):
        inner = nnx.grad(function, **options)
        if not options.get("has_aux"):
            return inner

        def call(*args):
            grads, aux = inner(*args)
            return grads, _values_of(nnx, aux)

        return call

    return {"grad": grad}


def _values_of(nnx, tree):
    return jtu.tree_map(
        lambda one: nnx_api.raw_value(one) if isinstance(one, nnx.Variable) else one,
        tree,
        is_leaf=lambda one: isinstance(one, nnx.Variable),
    )


@mutant(
    "nnx",
    kills=[
        _ID + "static_arguments_are_counted_from_the_first",
        _ID + "other_arguments_are_not_donated",
    ],
)
def jit_partial_mixes_up_numbers(nnx):
    """`jit_partial` swaps the second argument and the third where it counts."""
    if not hasattr(nnx, "jit_partial"):
        return {}

    def jit_partial(function, *args, **options):
        for name in ("static_argnums", "donate_argnums"):
            numbers = options.get(name, ())
            numbers = (numbers,) if isinstance(numbers, int) else numbers
            if numbers:
                options[name] = tuple({1: 2, 2: 1}.get(number, number) for number in numbers)
        return nnx.jit_partial(function, *args, **options)

    return {"jit_partial": jit_partial}
